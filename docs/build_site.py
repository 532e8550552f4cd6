"""Builds the documentation as a folder of HTML that needs no network.

    python docs/build_site.py out/docs

Pages are the Markdown files of `docs` and of the top folder, the contents beside them
are what `docs/index.md` links to, and the reference comes from docstrings. A link to a
file or heading that is not there ends the build with a sentence; links to other sites
are listed in `external.txt` and not followed.
"""

import argparse
import itertools
import os
import posixpath
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import jinja2
from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

CHECKOUT = Path(__file__).resolve().parents[1]
PACKAGE = "backbeat"
# Folders of it that stand beside it in the source.
BESIDE = ("models", "optimization", "behaviors", "mpc")
INDEX = PurePosixPath("docs/index.md")
TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
REFERENCE = "reference"
EXTERNAL = ("http", "https", "mailto")
FORMATTER = HtmlFormatter(nowrap=True)


class BrokenLinkError(Exception):
    """Links lead nowhere; the message has one line for each."""


@dataclass(frozen=True)
class Page:
    """A Markdown file.

    Attributes:
        path: from the checkout.
        tokens: what it says, as markdown-it reads it.
        anchors: its headings, as GitHub names them.
    """

    path: PurePosixPath
    tokens: list[Token]
    anchors: frozenset[str]

    @property
    def html(self) -> str:
        """Name of its file in the site."""
        name = self.path.stem.lower()
        return "index.html" if self.path == INDEX else f"{name}.html"

    @property
    def title(self) -> str:
        """Its first heading."""
        texts = (text for _, text in headings(self.tokens))
        return next(texts, self.path.stem)


def parser() -> MarkdownIt:
    """CommonMark with tables, and code in colors."""
    markdown = MarkdownIt("commonmark", {"highlight": colored}).enable("table")
    return markdown


def colored(code: str, language: str, _: str) -> str:
    """HTML of code; unknown languages stay plain."""
    try:
        lexer = get_lexer_by_name(language or "text")
    except ClassNotFound:
        return ""
    return str(highlight(code, lexer, FORMATTER))


def headings(tokens: Iterable[Token]) -> Iterator[tuple[Token, str]]:
    """Opening token and plain text of every heading."""
    tokens = list(tokens)
    for opening, inline in itertools.pairwise(tokens):
        if opening.type == "heading_open":
            kinds = ("text", "code_inline")
            children = inline.children or []
            yield opening, "".join(c.content for c in children if c.type in kinds)


def read_page(root: Path, path: PurePosixPath) -> Page:
    """Reads a page, and names its headings."""
    tokens = parser().parse((root / path).read_text(encoding="utf-8"))
    anchors: list[str] = []
    for opening, text in headings(tokens):
        slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
        taken = sum(re.fullmatch(rf"{slug}(-\d+)?", a) is not None for a in anchors)
        anchors.append(f"{slug}-{taken}" if taken else slug)
        opening.attrSet("id", anchors[-1])
    return Page(path, tokens, frozenset(anchors))


def read_pages(root: Path) -> dict[PurePosixPath, Page]:
    """All pages by path, the index first."""
    here = [PurePosixPath(p.relative_to(root)) for p in (root / "docs").glob("*.md")]
    here += [PurePosixPath(name) for name in TOP if (root / name).is_file()]
    return {p: read_page(root, p) for p in sorted(here, key=lambda p: (p != INDEX, p))}


def links(tokens: Iterable[Token]) -> Iterator[tuple[Token, str]]:
    """Tokens of links and images, with the attribute that holds the address."""
    for token in tokens:
        key = {"link_open": "href", "image": "src"}.get(token.type)
        if key:
            yield token, key
        yield from links(token.children or [])


class Site:
    """The site in the making: knows where every link leads."""

    def __init__(self, root: Path, folder: Path) -> None:
        """Reads the pages of the checkout at `root`; nothing is written yet."""
        self.root, self.folder = root, folder
        self.pages = read_pages(root)
        self.broken: list[str] = []
        self.external: set[str] = set()
        self.files: set[PurePosixPath] = set()

    def resolve(self, page: Page, address: str) -> str:
        """Where a link of a page leads in the site; faults are remembered."""
        parts = urlsplit(address)
        if parts.scheme in EXTERNAL:
            self.external.add(address)
            return address
        if parts.scheme or parts.netloc:
            return self._break(page, address, "is no kind of link that pages have")
        if not parts.path:
            return self._anchored(page, page, address, parts.fragment)
        joined = posixpath.normpath(page.path.parent / unquote(parts.path))
        target = PurePosixPath(joined)
        if joined.startswith(".."):
            return self._break(page, address, "leaves the project")
        if not (self.root / target).exists():
            return self._break(page, address, "leads to no file")
        if target in self.pages:
            return self._anchored(page, self.pages[target], address, parts.fragment)
        if parts.fragment:
            return self._break(page, address, "names a place in a file without any")
        if target.suffix == ".py" and target.parts[0] in (PACKAGE, *BESIDE):
            inside = target if target.parts[0] == PACKAGE else PACKAGE / target
            return f"{REFERENCE}/{inside.with_suffix('.html')}"
        self.files.add(target)
        is_folder = (self.root / target).is_dir()
        return f"files/{target}" + ("/index.html" if is_folder else "")

    def _anchored(self, page: Page, to: Page, address: str, fragment: str) -> str:
        if fragment and fragment not in to.anchors:
            return self._break(page, address, f"names no heading of {to.path}")
        return to.html + (f"#{fragment}" if fragment else "")

    def _break(self, page: Page, address: str, why: str) -> str:
        self.broken.append(f"{page.path}: ({address}) {why}")
        return "#"

    def render(self) -> dict[str, str]:
        """HTML of every page by file name.

        Raises:
            BrokenLinkError: a link leads nowhere.
        """
        for page in self.pages.values():
            for token, key in links(page.tokens):
                token.attrSet(key, self.resolve(page, str(token.attrGet(key))))
        if self.broken:
            raise BrokenLinkError("\n".join(self.broken))
        source = (self.root / "docs" / "site" / "page.html").read_text(encoding="utf-8")
        environment = jinja2.Environment(
            autoescape=True, undefined=jinja2.StrictUndefined
        )
        template, markdown = environment.from_string(source), parser()
        return {
            page.html: template.render(
                title=page.title,
                body=markdown.renderer.render(page.tokens, markdown.options, {}),
                contents=self.contents(),
                here=page.html,
            )
            for page in self.pages.values()
        }

    def contents(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """(heading, [(file, text)]) of the pages that the index links to."""
        sections: list[tuple[str, list[tuple[str, str]]]] = []
        pages = {page.html for page in self.pages.values()}
        tokens = self.pages[INDEX].tokens
        for opening, inline in itertools.pairwise(tokens):
            if opening.type == "heading_open" and opening.tag == "h2":
                sections.append((inline.content, []))
            children = inline.children or []
            for link, text in itertools.pairwise(children):
                file = link.attrGet("href")
                if sections and file in pages:
                    sections[-1][1].append((str(file), text.content))
        return [section for section in sections if section[1]]

    def write(self) -> None:
        """Writes pages, their style, and every file that they link to."""
        pages = self.render()
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, text in pages.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        shutil.copy(self.root / "docs" / "site" / "style.css", self.folder)
        code = HtmlFormatter(style="friendly").get_style_defs("pre code")
        (self.folder / "code.css").write_text(code, encoding="utf-8")
        external = "".join(f"{address}\n" for address in sorted(self.external))
        (self.folder / "external.txt").write_text(external, encoding="utf-8")
        for path in sorted(self.files):
            self._copy(path)

    def _copy(self, path: PurePosixPath) -> None:
        """Copies a file, or a folder's files with a list of them."""
        source, target = self.root / path, self.folder / "files" / path
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
            return
        target.mkdir(parents=True, exist_ok=True)
        names = sorted(p.name for p in source.iterdir() if p.is_file())
        for name in names:
            shutil.copy(source / name, target)
        items = "".join(f'<li><a href="{name}">{name}</a></li>' for name in names)
        heading = (
            f"<!doctype html><meta charset=utf-8><title>{path}</title><h1>{path}</h1>"
        )
        (target / "index.html").write_text(f"{heading}<ul>{items}</ul>")


def build_reference(folder: Path) -> None:
    """Writes a page for each module, from its docstrings."""
    import pdoc
    import pdoc.render

    pdoc.render.configure(docformat="google", show_source=False)
    pdoc.pdoc(PACKAGE, output_directory=folder / REFERENCE)


def main() -> None:
    """Builds the site as the command line says."""
    arguments = argparse.ArgumentParser(description="Builds the documentation.")
    arguments.add_argument("folder", type=Path, help="where to write it")
    arguments.add_argument(
        "--no-reference", action="store_true", help="leave out the docstrings"
    )
    chosen = arguments.parse_args()
    site = Site(CHECKOUT, chosen.folder)
    try:
        site.write()
    except BrokenLinkError as error:
        sys.exit(f"broken links:\n{error}")
    if not chosen.no_reference:
        os.environ.setdefault("BACKBEAT_INTERPRETED", "1")
        sys.path.insert(0, str(CHECKOUT))
        build_reference(chosen.folder)
    index = chosen.folder / "index.html"
    print(f"{index} ({len(site.pages)} pages, {len(site.external)} external links)")


if __name__ == "__main__":
    main()
