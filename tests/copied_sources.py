"""Copies of sources that a test may change, also where the sources are read-only."""

import shutil
from pathlib import Path


def copy_sources(folder: Path, to: Path) -> None:
    """Copies a folder and all in it, but not who may write it."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(folder, to, ignore=ignored, copy_function=shutil.copyfile)
