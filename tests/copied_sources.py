"""Copies of sources that a test may change, also where the sources are read-only."""

import os
import shutil
from pathlib import Path


def copy_sources(folder: Path, to: Path) -> None:
    """Copies a folder and all in it, but not who may write it."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(folder, to, ignore=ignored, copy_function=shutil.copyfile)


def copy_packages(checkout: Path, to: Path) -> None:
    """Copies all that is imported, links between its folders included.

    Files keep their times, so that what Python has compiled of them need not be
    compiled again.
    """
    for name in ("backbeat", "models", "optimization", "behaviors", "mpc"):
        shutil.copytree(
            checkout / name, to / name, symlinks=True, copy_function=_copy_with_time
        )


def _copy_with_time(source: str, to: str) -> None:
    shutil.copyfile(source, to, follow_symlinks=False)
    if not os.path.islink(to):
        then = os.stat(source)
        os.utime(to, ns=(then.st_atime_ns, then.st_mtime_ns))
