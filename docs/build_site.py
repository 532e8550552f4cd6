"""Builds the documentation as a folder of HTML that needs no network.

    python docs/build_site.py out/docs

Sphinx reads the Markdown of `docs` and of the top folder, and a page for each folder of
the source, written from its docstrings. The checkout may be read-only, so Sphinx is
given a copy, beside the written pages. A link to a file or heading that is not there,
and an equation that cannot be read, end the build.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from sphinx.cmd.build import build_main

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT / "docs" / "site"))
from source_pages import PACKAGES, write_pages  # noqa: E402

# What pages link to, beside the source.
LINKED = ("docs", "notebooks", "tests", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
LINKED += ("SECURITY.md", "CITATION.cff", "Makefile", "pyproject.toml")

CACHES = shutil.ignore_patterns("__pycache__")


def build_site(root: Path, folder: Path) -> int:
    """Writes the site; the exit code of Sphinx.

    Args:
        root: a checkout.
        folder: where the site goes.
    """
    with tempfile.TemporaryDirectory() as held:
        source = Path(held)
        for name in (*LINKED, *PACKAGES):
            if (root / name).is_dir():
                shutil.copytree(
                    root / name, source / name, symlinks=True, ignore=CACHES
                )
            elif (root / name).is_file():
                shutil.copy(root / name, source)
        write_pages(root, source / "source")
        settings = ["-c", str(root / "docs"), "-b", "html", "-q", "-W", "--keep-going"]
        doctrees = ["-d", str(source / ".doctrees")]
        return build_main([*settings, *doctrees, str(source), str(folder)])


def main() -> None:
    """Builds the site as the command line says."""
    arguments = argparse.ArgumentParser(description="Builds the documentation.")
    arguments.add_argument("folder", type=Path, help="where to write it")
    folder = arguments.parse_args().folder
    if build_site(CHECKOUT, folder):
        sys.exit("the documentation has the faults above")
    print(f"{folder / 'index.html'} ({len(list(folder.rglob('*.html')))} pages)")


if __name__ == "__main__":
    main()
