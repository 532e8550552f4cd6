"""Edits of a YAML text in place: every other character of it stays as it is.

Nodes are found by the marks of the parser that reads such files, and only what an edit
is about is written. A writer that emits the whole document anew would change spaces,
line breaks and spellings of numbers that a person has chosen. After each edit the text
is parsed again: where that gives anything else than the edited data, the edit is
refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from backbeat.behaviors.motion.authored import on_a_line
from backbeat.models.common.errors import BackbeatError, KeyPath
from backbeat.models.common.yaml_file import read_tree

Tree = dict[Any, Any]
REFUSAL = (
    "this part of the file is written in a way that cannot be changed alone; edit it "
    "in a text editor"
)


@dataclass(frozen=True)
class _Found:
    """A node, the node of the mapping or list that it is in, and its key or place."""

    node: yaml.Node
    holder: yaml.Node | None
    key: yaml.Node | None
    index: int


def with_value(text: str, place: KeyPath, value: Any, order: Sequence[str] = ()) -> str:
    """A text with another value of a key, which is added if it is not there.

    Args:
        text: a valid YAML text with keys at the top.
        place: the key, whose mapping exists.
        value: plain data.
        order: keys of the mapping as they usually follow each other.

    Raises:
        BackbeatError: the text is written in a way that does not allow it.
    """
    wanted = read_tree(text, "the file")
    _at(wanted, place[:-1])[place[-1]] = value
    found = _find(text, place)
    if found is None:
        new = _added(text, place, f"{place[-1]}: {on_a_line(value)}", order)
    else:
        _refuse_unless(_is_inline(found.node))
        a, b = found.node.start_mark.index, found.node.end_mark.index
        new = text[:a] + " " * (a == b) + on_a_line(value) + text[b:]
    return _checked(new, wanted)


def without(text: str, place: KeyPath) -> str:
    """A text without a key or an item of a list; raises as `with_value`."""
    wanted = read_tree(text, "the file")
    del _at(wanted, place[:-1])[place[-1]]
    found = _find(text, place)
    assert found is not None
    holder = found.holder
    assert isinstance(holder, yaml.MappingNode | yaml.SequenceNode)
    spans = _spans(holder)
    (a, b), is_only = spans[found.index], len(spans) == 1
    if holder.flow_style:
        if found.index:
            a = spans[found.index - 1][1]
        elif not is_only:
            b = spans[1][0]
        return _checked(text[:a] + text[b:], wanted)
    first, last = _line_start(text, a), _line_end(text, b)
    cut = text[:first] + text[last + len(_newline(text)) :]
    if is_only:
        # The key above keeps its line, with its comment.
        above = _find(text, place[:-1])
        _refuse_unless(above is not None and above.key is not None)
        assert above is not None
        assert above.key is not None
        colon = text.index(":", above.key.end_mark.index) + 1
        empty = " []" if isinstance(holder, yaml.SequenceNode) else " {}"
        cut = cut[:colon] + empty + cut[colon:]
    return _checked(cut, wanted)


def with_item(
    text: str, place: KeyPath, index: int, item: Any, order: Sequence[str] = ()
) -> str:
    """A text with a new item in a list, on a line of its own if the others are.

    Args:
        text: a valid YAML text with keys at the top.
        place: the list; where it is not there yet, its key is added.
        index: before which item it goes.
        item: plain data.
        order: keys of the mapping with the list as they usually follow each other.

    Raises:
        BackbeatError: the text is written in a way that does not allow it.
    """
    wanted = read_tree(text, "the file")
    parent = _at(wanted, place[:-1])
    parent[place[-1]] = list(parent.get(place[-1]) or [])
    parent[place[-1]].insert(index, item)
    said, found = on_a_line(item), _find(text, place)
    if found is None:
        holder = _find(text, place[:-1])
        if holder is not None and _is_inline(holder.node) and holder.node.value:
            lines = f"{place[-1]}: [{said}]"
        else:
            lines = f"{place[-1]}:{_newline(text)}  - {said}"
        return _checked(_added(text, place, lines, order), wanted)
    node = found.node
    if isinstance(node, yaml.SequenceNode) and node.value:
        return _checked(_beside(text, node, index, f"- {said}", said), wanted)
    assert found.key is not None
    return _checked(_below(text, node, found.key, f"- {said}"), wanted)


def with_moved(text: str, place: KeyPath, index: int, to: int) -> str:
    """A text with an item of a list at another place of it; raises as `with_value`.

    An item on lines of its own takes its comments with it: those on them, and right
    above.

    Args:
        text: a valid YAML text with keys at the top.
        place: the list.
        index: which of its items.
        to: which it is to be.
    """
    wanted = read_tree(text, "the file")
    items = _at(wanted, place)
    items.insert(to, items.pop(index))
    found = _find(text, place)
    assert found is not None
    assert isinstance(found.node, yaml.SequenceNode)
    spans = _spans(found.node)
    if not found.node.flow_style:
        lines = [
            (_above(text, _line_start(text, a)), _line_end(text, b)) for a, b in spans
        ]
        spans = [
            (max(a, end), b)
            for (a, b), end in zip(lines, [0, *(b for _, b in lines)], strict=False)
        ]
    pieces = [text[a:b] for a, b in spans]
    pieces.insert(to, pieces.pop(index))
    for (a, b), piece in reversed(list(zip(spans, pieces, strict=True))):
        text = text[:a] + piece + text[b:]
    return _checked(text, wanted)


def _added(text: str, place: KeyPath, said: str, order: Sequence[str]) -> str:
    """A text with a new key in a mapping; `said` may have more lines, indented."""
    found = _find(text, place[:-1])
    if found is None:
        lines = _indented(said, "  ", _newline(text))
        return _added(text, place[:-1], f"{place[-2]}:{lines}", ())
    node, name = found.node, str(place[-1])
    if not isinstance(node, yaml.MappingNode) or not node.value:
        if isinstance(node, yaml.MappingNode) and len(place) == 1:
            raise BackbeatError(REFUSAL)
        flows = isinstance(node, yaml.MappingNode) and "\n" not in said
        if flows:
            inside = node.start_mark.index + 1
            return text[:inside] + said + text[inside:]
        _refuse_unless(found.key is not None)
        assert found.key is not None
        return _below(text, node, found.key, said)
    names = [str(key.value) for key, _ in node.value]
    before = order[: order.index(name)] if name in order else names
    index = max((names.index(n) + 1 for n in before if n in names), default=0)
    return _beside(text, node, index, said, said)


def _beside(text: str, node: Any, index: int, line: str, inline: str) -> str:
    """A text with one more child of a collection that has some.

    Args:
        text: the text.
        node: the collection.
        index: before which child it goes.
        line: what is written on a line of its own.
        inline: what is written between braces.
    """
    spans = _spans(node)
    if node.flow_style:
        if index == 0:
            return text[: spans[0][0]] + inline + ", " + text[spans[0][0] :]
        at = spans[index - 1][1]
        return text[:at] + ", " + inline + text[at:]
    indent = " " * node.start_mark.column
    if index:
        at = _line_end(text, spans[index - 1][1])
        return text[:at] + _indented(line, indent, _newline(text)) + text[at:]
    # Above the first, and above comments that are about that.
    at = _above(text, _line_start(text, spans[0][0]))
    # Of an item in a list of lists there is no line above.
    new = _indented(line, indent, _newline(text)).removeprefix(_newline(text))
    return text[:at] + new + _newline(text) + text[at:]


def _below(text: str, node: yaml.Node, key: yaml.Node, line: str) -> str:
    """A text with a first child below a key that has an empty value, or none."""
    a, b = node.start_mark.index, node.end_mark.index
    colon = text.index(":", key.end_mark.index) + 1
    text = text[:colon] + text[max(b, colon) :] if a != b else text
    indent = " " * (key.start_mark.column + 2)
    at = _line_end(text, colon)
    return text[:at] + _indented(line, indent, _newline(text)) + text[at:]


def _indented(lines: str, indent: str, newline: str) -> str:
    """Lines below another one, each with its indentation."""
    return "".join(f"{newline}{indent}{line}" for line in lines.split(newline))


def _above(text: str, start: int) -> int:
    """The start of the comment that stands right above a line, or of the line."""
    while start:
        before = _line_start(text, start - 1)
        if not text[before:start].lstrip().startswith("#"):
            break
        start = before
    return start


def _find(text: str, place: KeyPath) -> _Found | None:
    """What stands at a place; None for nothing.

    Raises:
        BackbeatError: it is in what stands for several places, by an alias.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert root is not None
    shared = _shared(root)
    found = _Found(root, None, None, 0)
    for step in place:
        node = found.node
        _refuse_unless(id(node) not in shared)
        if isinstance(node, yaml.MappingNode):
            names = [str(key.value) for key, _ in node.value]
            if str(step) not in names:
                return None
            i = names.index(str(step))
            key, value = node.value[i]
            found = _Found(value, node, key, i)
        elif isinstance(node, yaml.SequenceNode):
            assert isinstance(step, int)
            found = _Found(node.value[step], node, None, step)
        else:
            return None
    _refuse_unless(id(found.node) not in shared)
    return found


def _shared(root: yaml.Node) -> set[int]:
    """Nodes that stand at several places."""
    seen: set[int] = set()
    found: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            found.add(id(node))
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            waiting += [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value
    return found


def _spans(node: Any) -> list[tuple[int, int]]:
    """Start and end of each child of a collection, without what follows it.

    Raises:
        BackbeatError: one is an alias, which has the marks of what it stands for.
    """
    if isinstance(node, yaml.MappingNode):
        spans = [(k.start_mark.index, _end(v)) for k, v in node.value]
    else:
        spans = [(v.start_mark.index, _end(v)) for v in node.value]
    flat = [at for span in spans for at in span]
    _refuse_unless(flat == sorted(flat))
    return spans


def _end(node: yaml.Node) -> int:
    """Where what is written of a node ends; a block itself ends at what follows it."""
    if _is_inline(node) or not node.value:
        return int(node.end_mark.index)
    return max(end for _, end in _spans(node))


def _is_inline(node: yaml.Node) -> bool:
    """Whether a node is a scalar within lines, or stands between braces."""
    if isinstance(node, yaml.ScalarNode):
        return node.style not in ("|", ">")
    return isinstance(node, yaml.CollectionNode) and bool(node.flow_style)


def _at(tree: Any, place: KeyPath) -> Any:
    """Data at a place; a mapping that is empty or not there is made."""
    for step in place:
        if isinstance(tree, dict) and tree.get(step) is None:
            tree[step] = {}
        tree = tree[step]
    return tree


def _checked(text: str, wanted: Tree) -> str:
    """The text, if it says what it should.

    Raises:
        BackbeatError: it does not.
    """
    try:
        _refuse_unless(read_tree(text, "the file") == wanted)
    except BackbeatError:
        raise BackbeatError(REFUSAL) from None
    return text


def _refuse_unless(holds: bool) -> None:
    if not holds:
        raise BackbeatError(REFUSAL)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _line_end(text: str, index: int) -> int:
    """The end of the line that a character is on, before its break."""
    end = text.find("\n", index)
    end = len(text) if end < 0 else end
    return end - (end > 0 and text[end - 1] == "\r")
