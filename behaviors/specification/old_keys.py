"""Keys of specifications that have another name now, read for one more version."""

import logging
from collections.abc import Mapping
from functools import lru_cache

from backbeat.models.common.errors import BackbeatError, KeyPath
from backbeat.models.common.yaml_file import read_tree
from backbeat.models.common.yaml_lines import YamlLines

# New names of keys at the top of a specification, by kind and old name.
OLD_KEYS: Mapping[str, Mapping[str, str]] = {"drumming": {"haste": "tempo_scale"}}


def with_new_keys(text: str, kind: str, where: str) -> str:
    """A specification's text with the present names of its keys.

    Args:
        text: YAML with keys at the top level.
        kind: value of its key `kind`.
        where: name of the text in messages.

    Returns:
        The same text but for the old keys. A warning says, once for each text, that
        they are old.

    Raises:
        BackbeatError: a key is given under both of its names.
    """
    tree = read_tree(text, where)
    old = {a: b for a, b in OLD_KEYS.get(kind, {}).items() if a in tree}
    for name, new in old.items():
        if new in tree:
            raise BackbeatError(
                f"{where}: {name} is the old name of {new}, which is given too; keep "
                f"{new}",
                path=(name,),
            )
        span = YamlLines(text).key_span((name,))
        assert span is not None
        text = text[: span[0]] + new + text[span[1] :]
        _warn(where, name, new)
    return text


@lru_cache(maxsize=64)
def _warn(where: str, old: str, new: str) -> None:
    """Logs an old key once."""
    logging.getLogger(__name__).warning(
        "%s: %s is called %s now; the old name is read for one more version",
        where,
        old,
        new,
    )


def written_path(path: KeyPath, lines: YamlLines) -> KeyPath:
    """A path of keys as the text has them, where it has an old name at the top."""
    if not path or lines.key_span(path[:1]) is not None:
        return path
    for names in OLD_KEYS.values():
        for old, new in names.items():
            if new == path[0] and lines.key_span((old,)) is not None:
                return (old, *path[1:])
    return path
