"""Files of the user that take the place of what ships."""

from pathlib import Path


def warn_of_shadow(path: Path, library: Path) -> None:
    """Warns when a file, or one of a setlist, takes the place of what ships."""
    from backbeat.behaviors.specification.setlist_rules import shadows
    from backbeat.cli.common.console import warn

    for file, name in shadows(path).items():
        warn(
            f"{file} is called {name} like what ships, and takes its place in "
            f"{library}; to have both, give it another name"
        )
