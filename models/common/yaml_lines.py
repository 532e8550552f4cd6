"""YamlLines: lines and characters of the keys and values of a YAML text."""

from collections.abc import Iterator

import yaml

from backbeat.models.common.errors import KeyPath
from backbeat.models.common.yaml_file import line_at

Place = KeyPath
Span = tuple[int, int]


class YamlLines:
    """Finds lines and characters of what a YAML text says.

    The text has been read before by `backbeat.models.common.yaml_file.read_tree`, which
    refuses what would take long here.
    """

    def __init__(self, text: str) -> None:
        """Composes the text."""
        self._text = text
        self._keys: dict[Place, yaml.Node] = {}
        self._values: dict[Place, yaml.Node] = {}
        self._noted: set[int] = set()
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if root is not None:
            self._note(root, ())

    def _note(self, node: yaml.Node, place: Place) -> None:
        self._values[place] = node
        if id(node) in self._noted:
            return  # An alias: what it stands for may be large, or hold the alias.
        self._noted.add(id(node))
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                own = (*place, str(key.value))
                self._keys[own] = key
                self._note(value, own)
        elif isinstance(node, yaml.SequenceNode):
            for i, item in enumerate(node.value):
                self._note(item, (*place, i))

    def find(self, word: str, inside: Place = ()) -> Place | None:
        """The first place of a key, or else of a value, that is this word.

        Args:
            word: what is written there.
            inside: keys below which it is looked for.
        """
        for place, node in (*self._keys.items(), *self._values.items()):
            if place[: len(inside)] != inside:
                continue
            if isinstance(node, yaml.ScalarNode) and node.value == word:
                return place
        return None

    def line(self, place: Place) -> int:
        """Line of a key or list item, counted from 1; of what it is in if not there."""
        while place not in self._values and place:
            place = place[:-1]
        node = self._keys.get(place) or self._values.get(place)
        return 1 if node is None else line_at(self._text, node.start_mark.index)

    def text_line(self, place: Place) -> int:
        """Line on which the text of a scalar begins, counted from 1."""
        node = self._values.get(place)
        if not isinstance(node, yaml.ScalarNode):
            return self.line(place)
        first = line_at(self._text, node.start_mark.index)
        return first + (node.style in ("|", ">"))

    def key_span(self, place: Place) -> Span | None:
        """Characters of a key; None if it is not there."""
        node = self._keys.get(place)
        return None if node is None else (node.start_mark.index, node.end_mark.index)

    def value_span(self, place: Place) -> Span | None:
        """Characters of a value that is a scalar; None if there is none."""
        node = self._values.get(place)
        if not isinstance(node, yaml.ScalarNode):
            return None
        return node.start_mark.index, node.end_mark.index

    def names(self, place: Place = ()) -> Iterator[str]:
        """Keys of a mapping, in order; none if it is none."""
        node = self._values.get(place)
        if isinstance(node, yaml.MappingNode):
            yield from (str(key.value) for key, _ in node.value)

    def length(self, place: Place) -> int:
        """Items of a list; none if it is none."""
        node = self._values.get(place)
        return len(node.value) if isinstance(node, yaml.SequenceNode) else 0
