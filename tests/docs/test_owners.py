"""The page of the founding documents: its commands and its tests exist."""

import ast
import re
import shlex
from pathlib import Path

import pytest

from backbeat.cli.main import load_subcommand
from backbeat.figures.drawing.registry import FIGURES

CHECKOUT = Path(__file__).parents[2]
PAGE = (CHECKOUT / "docs/reference/owners.md").read_text()
ROWS = [
    [cell.strip().strip("`") for cell in line.strip("| ").split(" | ")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| place")
]


def test_every_document_has_its_rows():
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    assert len(sections) == 5
    assert all(len(re.findall(r"^\| ", s, re.MULTILINE)) > 12 for s in sections)
    assert [row for row in ROWS if len(row) != 4] == []


@pytest.mark.parametrize("test", sorted({row[3] for row in ROWS}))
def test_every_test_that_it_names_exists(test):
    file, name = test.split("::")
    tree = ast.parse((CHECKOUT / file).read_text())
    assert name in {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}


@pytest.mark.parametrize("command", sorted({row[2] for row in ROWS}))
def test_every_command_has_its_options(command):
    tool, *words = shlex.split(command)
    if tool == "python":
        assert (CHECKOUT / words[0]).is_file()
        return
    assert tool == "backbeat"
    verb = load_subcommand(words[0])
    groups = getattr(verb, "commands", {})
    params = groups[words[1]].params if groups else verb.params
    known = {option for p in params for option in p.opts}
    assert {w for w in words if w.startswith("-")} <= known
    if words[0] == "figure" and not words[1].startswith("-"):
        assert words[1] in FIGURES
