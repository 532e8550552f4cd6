"""The glossary: one row a word, and each leads to where the word is used."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs/reference"
PAGE = (DOCS / "glossary.md").read_text()
ROWS = re.findall(
    r"^\| ([^|]+) \| ([^|]+) \| \[[^]]+\]\(([^)]+)\) \|$", PAGE, re.MULTILINE
)
# Words of the field that a newcomer looks for.
EXPECTED = """
    capture point, divergent component of motion, center of mass, wrench cone, knot,
    phase rate, transcription, multiplier, active constraint, whole-body program, tick,
    lag, latency, survived, marker, hold, goto, stroke, sticking, flam, drag, seed
"""


def words(row: str) -> list[str]:
    return [word.strip("` ").lower() for word in row.split(", ")]


def test_every_line_of_its_tables_is_read():
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    assert len(ROWS) == len([line for line in lines if "| word |" not in line])
    found = [word for names, _, _ in ROWS for word in words(names)]
    assert len(set(found)) == len(found)
    assert {word.strip() for word in EXPECTED.split(",")} <= set(found)


def plain(text: str) -> str:
    """A text without what a word may be written with or without."""
    return re.sub(r"[\s_`-]+", "", text.lower())


@pytest.mark.parametrize(("names", "place"), [(n, place) for n, _, place in ROWS])
def test_a_word_is_used_where_its_row_leads(names: str, place: str) -> None:
    text = plain((DOCS / place.partition("#")[0]).read_text())
    assert any(plain(word.split(" of a ")[0]) in text for word in words(names)), names


def test_meanings_are_one_or_two_sentences():
    for names, meaning, _ in ROWS:
        assert meaning.endswith("."), names
        assert len(re.findall(r"\.(?= [A-Z]|$)", meaning)) <= 2, names
