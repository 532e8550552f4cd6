"""What the shell offers after a tab: names in the library, that ship, and files.

Folders are listed and nothing is read, for a shell waits for the answer at every tab.
Where nothing fits, the shell completes files and folders by itself.
"""

from collections.abc import Iterable
from pathlib import Path

import typer

from backbeat.cli.common.options import LIBRARY

HOUSE = Path(__file__).resolve().parents[2]
SPECIFICATIONS = (
    HOUSE / "behaviors" / "specifications",
    HOUSE / "behaviors" / "setlists",
)
SWEEPS = HOUSE / "mpc" / "sweep" / "specifications"
YAML, NOTES = (".yaml", ".yml"), (".mid", ".midi", ".tab", ".txt")
RUN, ROBOT = (".run.parquet",), (".urdf", *YAML)
MODEL = (".urdf", ".xml")
TAKES = (".csv", ".npz", ".mot", ".sto", ".txt", ".json", ".bvh")


def behaviors(ctx: typer.Context, incomplete: str) -> list[str]:
    """Behaviors in the library that the line names, or that is used without a name."""
    library = Path(ctx.params.get("library") or LIBRARY)
    # Files of earlier versions are beside the folders of robots.
    folders = [library, *_folders(library)]
    found = {name for folder in folders for name in _stems(folder, ".parquet")}
    return _beginning(found, incomplete)


def behaviors_or_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """Behaviors in the library, and run files."""
    return [*behaviors(ctx, incomplete), *files(incomplete, RUN)]


def checked_files(incomplete: str) -> list[str]:
    """What is built, and descriptions of robots."""
    return [*specifications(incomplete), *files(incomplete, ROBOT[:1])]


def runs(incomplete: str) -> list[str]:
    """Run files."""
    return files(incomplete, RUN)


def specifications(incomplete: str) -> list[str]:
    """Behaviors and setlists that ship, and files that are built."""
    shipped = [name for folder in SPECIFICATIONS for name in _stems(folder, ".yaml")]
    return [*_beginning(shipped, incomplete), *files(incomplete, (*YAML, *NOTES))]


def kinds(incomplete: str) -> list[str]:
    """What `backbeat new` begins."""
    return _beginning(("dance", "drumming"), incomplete)


def models(incomplete: str) -> list[str]:
    """Models of robots that `backbeat adopt` describes."""
    return files(incomplete, MODEL)


def motion_formats(incomplete: str) -> list[str]:
    """Formats of motion files that are written."""
    from backbeat.behaviors.takes.writers.formats import WRITTEN

    return _beginning(WRITTEN, incomplete)


def takes(incomplete: str) -> list[str]:
    """Motion files."""
    return files(incomplete, TAKES)


def yaml_files(incomplete: str) -> list[str]:
    """Scenarios, overlays and whatever else is YAML."""
    return files(incomplete, YAML)


def sweeps(incomplete: str) -> list[str]:
    """Sweeps that ship, and files."""
    return [*_beginning(_stems(SWEEPS, ".yaml"), incomplete), *files(incomplete, YAML)]


def robots(incomplete: str) -> list[str]:
    """Robots that ship, and descriptions."""
    from backbeat.models.robot.description import SHIPPED

    return [*_beginning(SHIPPED, incomplete), *files(incomplete, ROBOT)]


def robot_files(incomplete: str) -> list[str]:
    """Descriptions of robots as others write them."""
    return files(incomplete, ROBOT[:1])


def figures(incomplete: str) -> list[str]:
    """Figures that can be drawn."""
    from backbeat.figures.drawing.registry import FIGURES

    return _beginning(FIGURES, incomplete)


def files(incomplete: str, suffixes: tuple[str, ...]) -> list[str]:
    """Files of some kinds in the current folder; the shell completes other folders."""
    if "/" in incomplete:
        return []
    found = (p.name for p in Path().iterdir() if p.name.endswith(suffixes))
    return _beginning(found, incomplete)


def _folders(library: Path) -> list[Path]:
    """Folders of robots; those of cards and of imported takes are none."""
    try:
        apart = ("cards", "takes")
        return [p for p in library.iterdir() if p.is_dir() and p.name not in apart]
    except OSError:
        return []


def _stems(folder: Path, suffix: str) -> list[str]:
    try:
        return sorted(p.stem for p in folder.iterdir() if p.suffix == suffix)
    except OSError:
        return []


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))
