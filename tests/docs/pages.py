"""Pages of the documentation, and the code on them."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def page(name: str) -> str:
    """The text of the page of a name, in whichever folder it is."""
    (path,) = DOCS.glob(f"*/{name}.md")
    return path.read_text()


def blocks(name: str, language: str) -> list[str]:
    """The code on a page in one language, such as yaml, python or sh."""
    return re.findall(rf"```{language}\n(.*?)```", page(name), re.DOTALL)


def named(name: str) -> list[str]:
    """What the first cells of the tables of a page have in backquotes."""
    rows = re.findall(r"^\| (`.*?) \|", page(name), re.MULTILINE)
    return re.findall(r"`([\w-]+)", " ".join(rows))
