"""The pages hold together: links, pictures, messages, and the site made of them."""

import re
import shutil
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest

from backbeat.cli.main import SUBCOMMANDS
from backbeat.figures.drawing.registry import FIGURES
from tests.docs.conftest import build_site

CHECKOUT = Path(__file__).parents[2]
DOCS = CHECKOUT / "docs"
PACKAGES = ("models", "optimization", "behaviors", "mpc", "backbeat")
KINDS = ("tutorial", "how_to", "reference", "explanation")


# --- the site -------------------------------------------------------------------------


@pytest.mark.slow
def test_every_link_of_the_site_leads_to_a_file_in_it(site):
    """Looked up anew in the HTML."""
    folder, found, texts = site[0], 0, {}
    for page in sorted(folder.rglob("*.html")):
        html = page.read_text(encoding="utf-8")
        for address in set(re.findall(r'(?:href|src)="([^"]+)"', html)):
            if address.startswith(("https:", "mailto:", "data:")):
                continue
            path, _, anchor = address.partition("#")
            path = unquote(path.partition("?")[0])
            target = (page.parent / path).resolve() if path else page
            found += 1
            assert target.is_file(), f"{page.relative_to(folder)}: {address}"
            if anchor and target.suffix == ".html":
                text = texts.setdefault(target, target.read_text(encoding="utf-8"))
                assert f'id="{anchor}"' in text, f"{page.name}: {address}"
    assert found > 3000


@pytest.mark.slow
def test_pages_need_no_network_and_have_a_search(site):
    """No script, style or picture is from elsewhere; each page leads to the search."""
    pages = sorted(site[0].rglob("*.html"))
    assert len(pages) > 150
    for page in pages:
        html = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|link)[^>]* (?:src|href)=\"([^\"]+)", html)
        assert [a for a in loaded if a.startswith(("http", "//"))] == [], page
        if page.parent != site[0] or page.name not in ("index.html", "search.html"):
            assert "search.html" in html, page


@pytest.mark.slow
def test_the_site_takes_a_minute_of_processor_time(site):
    assert site[1] < 60


@pytest.mark.slow
def test_the_reference_has_every_module(site):
    for name in PACKAGES:
        for path in (CHECKOUT / name).rglob("*.py"):
            inside = path.relative_to(CHECKOUT)
            if inside.parts[0] == "backbeat" and inside.parts[1] in PACKAGES:
                continue
            parts = [p for p in inside.parts[:-1] if p != "backbeat"]
            page = site[0] / "source" / (".".join(["backbeat", *parts]) + ".html")
            assert page.is_file(), inside
            title = page.stem if path.stem == "__init__" else path.stem
            assert title in page.read_text(encoding="utf-8"), inside


@pytest.fixture
def small(tmp_path):
    """`small(text)` builds a site of an index and a page with a text."""

    def make(text):
        root = tmp_path / "root"
        shutil.copytree(DOCS / "site", root / "docs" / "site")
        for name in ("conf.py", "build_site.py"):
            shutil.copy(DOCS / name, root / "docs")
        (root / "models").mkdir(parents=True)
        (root / "models" / "__init__.py").write_text('"""Models."""\n')
        (root / "models" / "one.py").write_text('"""A module of *one* [thing]."""\n')
        listed = "```{toctree}\npage\n../source/index\n```\n"
        (root / "docs" / "index.md").write_text(f"# Index\n\n## Pages\n\n{listed}")
        (root / "docs" / "page.md").write_text(f"# A page\n\n## It's `one`\n\n{text}\n")
        said, code, _ = build_site(root / "docs" / "build_site.py", tmp_path / "out")
        page = tmp_path / "out" / "docs" / "page.html"
        return said, code, page.read_text() if page.is_file() else ""

    return make


FAULTS = {
    "[x](nowhere.md)": "not found: 'nowhere.md'",
    "![x](nowhere.png)": "nowhere.png",
    "[x](index.md#pagez)": "'pagez'",
    "[x](#missing)": "'missing'",
    "$$\\nocommand{x}$$": "nocommand",
}


def test_a_broken_link_or_equation_ends_the_build(small):
    said, code, _ = small("\n\n".join(FAULTS))
    assert code
    for fault in FAULTS.values():
        assert fault in said
    assert said.count("WARNING") == len(FAULTS)


def test_links_and_equations_become_what_they_should(small):
    said, code, html = small(
        "[a](index.md#pages) [b](#its-one) [c](../models/one.py) $a_\\texttt{x\\_y}$"
    )
    assert code == 0, said
    for address in (
        "index.html#pages",
        "#it-s-one",
        "../source/backbeat.models.html#models-one-module",
    ):
        assert f'href="{address}"' in html
    assert "<msub><mi>a</mi>" in html
    assert ">x_y</mtext>" in html


def test_pages_are_of_four_kinds():
    """Only the start page is in none of the folders."""
    assert [p.name for p in DOCS.glob("*.md")] == ["index.md"]
    assert {p.parent.name for p in DOCS.glob("*/*.md")} == set(KINDS)
    names = [p.name for p in DOCS.glob("*/*.md")]
    assert len(set(names)) == len(names)


# --- what pages say -------------------------------------------------------------------


def test_pictures_are_figures_that_a_command_draws():
    shown = {path.stem: path for path in (DOCS / "pictures").iterdir()}
    assert set(shown) == set(FIGURES)
    assert all((path.suffix == ".gif") is FIGURES[n].moves for n, path in shown.items())
    assert (DOCS / "pictures" / "drummer.gif").stat().st_size < 1.5e6
    page = (DOCS / "reference" / "figures.md").read_text()
    assert [n for n in FIGURES if n not in page and not FIGURES[n].moves] == []


def test_the_readme_shows_a_push_and_two_robots():
    """Its pictures are figures, of the stage and of robots at one scale."""
    text = (CHECKOUT / "README.md").read_text()
    shown = [Path(path).stem for path in re.findall(r"!\[.*?\]\((.*?)\)", text)]
    assert set(shown) <= set(FIGURES)
    assert {"pushed-stage", "two-robots"} <= set(shown)
    assert "--robot g1" in text


def test_commands_on_the_pages_exist():
    """Every `backbeat WORD` is a subcommand, every `make WORD` a target."""
    targets = re.findall(r"^(\w+):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
    pages = [*DOCS.rglob("*.md"), CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md"]
    said = []
    for page in pages:
        text = page.read_text()
        code = re.findall(r"`([^`\n]+)`|^ {4}(.+)$|^(backbeat .+)$", text, re.MULTILINE)
        for line in map("".join, code):
            for tool, word in re.findall(r"^(backbeat|make) ([a-z]+)\b", line):
                known = SUBCOMMANDS if tool == "backbeat" else targets
                assert word in known, f"{page.name}: {line}"
                said.append(word)
    assert len(said) > 60


def spoken():
    """All the text of the code, literals that follow each other joined."""
    files = [p for name in PACKAGES for p in (CHECKOUT / name).rglob("*.py")]
    text = "\n".join(p.read_text() for p in [*files, CHECKOUT / "Makefile"])
    text = re.sub(r'"\s*\n\s*f?"', "", text)
    return re.sub(r'" "', "", text)


def is_spoken(message, code):
    """Whether every part between ellipses and signs is in the code."""
    parts = [part.strip(" '") for part in re.split("…|: |; |unknown ", message)]
    return all(part in code for part in parts if len(part) > 2)


def test_messages_are_those_of_the_program():
    page = (DOCS / "how_to" / "troubleshooting.md").read_text()
    blocks = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    messages = [line for block in blocks for line in block.splitlines()]
    code = spoken()
    assert len(messages) > 12
    assert [m for m in messages if not is_spoken(m, code)] == []
    assert not is_spoken("the … hand cannot reach the moon", code)


def test_the_tutorial_s_setlist_and_score_are_read(tmp_path):
    from backbeat.behaviors.specification.checking import check_setlist
    from backbeat.behaviors.specification.kinds import parse_specification

    page = (DOCS / "tutorial" / "first_show.md").read_text()
    move, score, setlist = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    dance = (
        "kind: dance\nname: my-dance\nsummary: Mine.\nbpm: 98\nbeats: 16\ntracks:\n"
        + move
    )
    assert parse_specification(dance, "my-dance.yaml").name == "my-dance"
    (tmp_path / "my-dance.yaml").write_text(dance)
    assert check_setlist(setlist, tmp_path / "my-evening.yaml") == []
    assert "parts:" in score


def test_what_the_site_needs_is_declared():
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    named = {re.split(r"[>=]", d)[0] for d in settings["dependency-groups"]["dev"]}
    assert {"sphinx", "myst-parser", "furo", "latex2mathml"} <= named
