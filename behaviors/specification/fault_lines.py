"""Where in a file of YAML a fault stands that a sentence tells of."""

import re
from contextlib import suppress
from pathlib import Path

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import read_text
from backbeat.models.common.yaml_file import read_tree
from backbeat.models.common.yaml_lines import Place, YamlLines

SUFFIXES = (".yaml", ".yml")


def fault_line(sentence: str, path: str | Path) -> int:
    """Line of what a sentence names: a word, a station or a key; else of the start."""
    path = Path(path)
    told = re.search(r"\bline (\d+), bar\b|\bline (\d+):", sentence)
    if told:
        return int(told[1] or told[2])
    with suppress(BackbeatError):
        if path.suffix in SUFFIXES:
            text = read_text(path)
            read_tree(text, str(path))  # Refuses what would take long.
            lines = YamlLines(text)
            return lines.line(_place(sentence, lines))
    line = re.search(r"\bline (\d+)", sentence)
    return int(line[1]) if line else 1


def _place(sentence: str, lines: YamlLines) -> Place:
    """The place that a sentence is about."""
    said = sentence.split("; ")[0]
    station = re.search(r"\bstation (\d+)", said)
    words = [w for w in re.findall(r"'([^']+)'", said) if re.search("[a-zA-Z]", w)]
    # The last word is the one that is wrong, those before say where.
    found = [place for word in reversed(words) if (place := lines.find(word))]
    if found:
        return found[0]
    part = re.search(r": part (\d+)\b", said)
    if part:
        return ("parts", int(part[1]) - 1)
    if station:
        return ("stations", int(station[1]) - 1)
    keys = [(m.start(), k) for k in lines.names() if (m := _word(k).search(said))]
    return (min(keys)[1],) if keys else ()


def _word(key: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./-]){re.escape(key)}(?![\w./-])")
