"""The line of a file that an error is about."""

from contextlib import suppress
from pathlib import Path

from backbeat.behaviors.specification.old_keys import written_path
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import read_text
from backbeat.models.common.yaml_file import read_tree
from backbeat.models.common.yaml_lines import Place, YamlLines

SUFFIXES = (".yaml", ".yml")


def fault_line(error: BackbeatError, path: str | Path) -> int:
    """Line of a file that an error is about; of the start where it does not say.

    Args:
        error: with a line, or with keys and a subject that are looked up in the file.
        path: the file; what is no YAML has no keys.
    """
    path = Path(path)
    if error.line is not None:
        return error.line
    with suppress(BackbeatError):
        if path.suffix in SUFFIXES:
            text = read_text(path)
            read_tree(text, str(path))  # Refuses what would take long.
            lines = YamlLines(text)
            return lines.line(_place(error, lines))
    return 1


def fault_place(error: BackbeatError, lines: YamlLines) -> Place:
    """Where the subject is written below the keys, else anywhere; else the keys.

    The top, where the fault is in another file.
    """
    return () if error.file is not None else _place(error, lines)


def _place(error: BackbeatError, lines: YamlLines) -> Place:
    """The same, in the file where the fault is."""
    for inside in (error.path, ()):
        found = lines.find(error.subject, inside) if error.subject else None
        if found is not None:
            return found
    return written_path(error.path, lines)
