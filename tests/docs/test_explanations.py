"""The pages on methods and the code speak of the same things."""

import re
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
PAGES = CHECKOUT / "docs" / "explanation"
PACKAGES = ("models", "optimization", "behaviors", "mpc")


def one_line(text: str) -> str:
    return " ".join(text.split()).casefold()


def cited_titles() -> set[str]:
    """Titles of works named in the code, as in "Title of a Work", 2015."""
    titles = set()
    for package in PACKAGES:
        for path in (CHECKOUT / package).rglob("*.py"):
            text = one_line(path.read_text())
            titles |= set(re.findall(r'"([^"]{10,150})", (?:19|20)\d\d\b', text))
    return titles


def test_every_work_that_the_code_cites_is_listed() -> None:
    pages = " ".join(one_line(p.read_text()) for p in PAGES.glob("*.md"))
    titles = cited_titles()
    assert len(titles) > 10
    assert [title for title in titles if title not in pages] == []
