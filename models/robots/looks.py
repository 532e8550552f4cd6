"""Writes meshes of robots: `python -m backbeat.models.robots.looks g1`.

A robot has its looks in `shell.py` of its folder, as a function `parts`.
"""

import importlib
import sys
from pathlib import Path

from backbeat.models.robots.family import write

HERE = Path(__file__).parent


def main(names: list[str]) -> None:
    """Rewrites every mesh of robots, by the names of their folders."""
    known = sorted(p.parent.name for p in HERE.glob("*/shell.py"))
    if not names or set(names) - set(known):
        sys.exit(f"name robots with looks of the family: {', '.join(known)}")
    for name in names:
        shell = importlib.import_module(f"backbeat.models.robots.{name}.shell")
        write(HERE / name / "meshes", shell.parts())


if __name__ == "__main__":
    main(sys.argv[1:])
