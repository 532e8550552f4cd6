"""The pages hold together: links, pictures, messages, and the site made of them."""

import re
import runpy
import shutil
import tomllib
from pathlib import Path, PurePosixPath

import pytest

from backbeat.cli.main import SUBCOMMANDS
from backbeat.figures.drawing.registry import FIGURES

CHECKOUT = Path(__file__).parents[2]
DOCS = CHECKOUT / "docs"
BUILDER = runpy.run_path(str(DOCS / "build_site.py"))
Site, BrokenLinkError = BUILDER["Site"], BUILDER["BrokenLinkError"]
PACKAGES = (BUILDER["PACKAGE"], *BUILDER["BESIDE"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site without the reference, written."""
    site = Site(CHECKOUT, tmp_path_factory.mktemp("site"))
    site.write()
    return site


# --- links ----------------------------------------------------------------------------


def test_every_link_of_the_site_leads_to_a_file_in_it(site):
    """Looked up anew in the HTML; the reference is written besides."""
    found = 0
    for page in site.folder.glob("*.html"):
        html = page.read_text(encoding="utf-8")
        for address in re.findall(r'(?:href|src)="([^"]+)"', html):
            if address.startswith(("http:", "https:", "mailto:")):
                continue
            path, _, anchor = address.partition("#")
            found += 1
            if path.startswith("reference/"):
                module = path.removeprefix("reference/").removesuffix(".html")
                source = CHECKOUT / module
                assert module == "index" or source.with_suffix(".py").is_file(), address
                continue
            target = page.parent / path if path else page
            assert target.is_file(), f"{page.name}: {address}"
            if anchor:
                assert f'id="{anchor}"' in target.read_text(encoding="utf-8"), address
    assert found > 200


def test_external_links_are_listed_and_safe(site):
    listed = (site.folder / "external.txt").read_text().splitlines()
    assert listed
    assert [a for a in listed if not a.startswith("https://")] == []


def test_every_page_is_on_the_index(site):
    on_index = {file for _, pages in site.contents() for file, _ in pages}
    pages = {page.html for page in site.pages.values()} - {"index.html"}
    assert pages == on_index


@pytest.fixture
def small(tmp_path):
    """`small(text)` is a site of an index and a page with a text."""

    def make(text):
        root = tmp_path / "root"
        shutil.copytree(DOCS / "site", root / "docs" / "site")
        (root / "models" / "robot").mkdir(parents=True)
        (root / "models" / "robot" / "model.py").touch()
        (root / "docs" / "index.md").write_text("# Index\n\n## Pages\n\n[a](page.md)\n")
        (root / "docs" / "page.md").write_text(f"# A page\n\n## It's `one`\n\n{text}\n")
        return Site(root, tmp_path / "out")

    return make


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[x](nowhere.md)", "leads to no file"),
        ("![x](nowhere.png)", "leads to no file"),
        ("[x](index.md#pagez)", "names no heading of docs/index.md"),
        ("[x](#missing)", "names no heading of docs/page.md"),
        ("[x](../../secret)", "leaves the project"),
        ("[x](../models/robot/model.py#L3)", "names a place in a file"),
        ("[x](ftp://x/y)", "is no kind of link"),
    ],
)
def test_a_broken_link_ends_the_build_and_writes_nothing(small, text, fault):
    site = small(text)
    with pytest.raises(BrokenLinkError, match=re.escape(fault)):
        site.write()
    assert not site.folder.exists()


def test_good_links_lead_where_they_should(small):
    site = small(
        "[a](index.md#pages) [b](#its-one) [c](../models/robot/model.py) [d](../models)"
    )
    site.write()
    html = (site.folder / "page.html").read_text()
    for address in (
        "index.html#pages",
        "page.html#its-one",
        "reference/backbeat/models/robot/model.html",
    ):
        assert f'href="{address}"' in html
    assert (site.folder / "files" / "models" / "index.html").is_file()


# --- what pages say -------------------------------------------------------------------


def test_pictures_are_figures_that_a_command_draws():
    shown = {path.stem: path for path in (DOCS / "pictures").iterdir()}
    assert set(shown) == set(FIGURES)
    assert all((path.suffix == ".gif") is FIGURES[n].moves for n, path in shown.items())
    assert (DOCS / "pictures" / "drummer.gif").stat().st_size < 1.5e6
    page = (DOCS / "figures.md").read_text()
    assert [n for n in FIGURES if n not in page and not FIGURES[n].moves] == []


def test_the_readme_shows_two_robots():
    """Its pictures are figures, of a drummer and of robots at one scale."""
    text = (CHECKOUT / "README.md").read_text()
    shown = [Path(path).stem for path in re.findall(r"!\[.*?\]\((.*?)\)", text)]
    assert set(shown) <= set(FIGURES)
    assert {"drummer", "two-robots"} <= set(shown)
    assert "--robot g1" in text


def test_commands_on_the_pages_exist():
    """Every `backbeat WORD` is a subcommand, every `make WORD` a target."""
    targets = re.findall(r"^(\w+):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
    pages = [*DOCS.glob("*.md"), CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md"]
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
    page = (DOCS / "troubleshooting.md").read_text()
    blocks = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    messages = [line for block in blocks for line in block.splitlines()]
    code = spoken()
    assert len(messages) > 12
    assert [m for m in messages if not is_spoken(m, code)] == []
    assert not is_spoken("the … hand cannot reach the moon", code)


def test_the_tutorial_s_setlist_and_score_are_read(tmp_path):
    from backbeat.behaviors.specification.checking import check_setlist
    from backbeat.behaviors.specification.kinds import parse_specification

    page = (DOCS / "tutorial.md").read_text()
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
    assert {"pdoc", "markdown-it-py", "pygments"} <= named


@pytest.mark.slow
def test_the_reference_has_every_module(tmp_path):
    BUILDER["build_reference"](tmp_path)
    for name in PACKAGES:
        for path in (CHECKOUT / name).rglob("*.py"):
            module = PurePosixPath(path.relative_to(CHECKOUT))
            if name != BUILDER["PACKAGE"]:
                module = BUILDER["PACKAGE"] / module
            if path.name == "__init__.py":
                module = module.parent
            # A package that names what is its own stands for its modules.
            stands = "__all__" in (path.parent / "__init__.py").read_text()
            if not module.name.startswith("_") and not stands:
                page = tmp_path / "reference" / module.with_suffix(".html")
                assert page.is_file(), module
