"""Figures in files of their own."""

from pathlib import Path

from matplotlib.figure import Figure

from backbeat.models.common.atomic_file import check_places, replacing
from backbeat.models.common.errors import BackbeatError

# Formats, as names end.
FORMATS = (".svg", ".png", ".pdf")


def check_figure(path: str | Path) -> None:
    """Refuses a figure of another format.

    Raises:
        BackbeatError: so it is, or its folder cannot be had.
    """
    path = Path(path)
    if path.suffix not in FORMATS:
        raise BackbeatError(f"{path}: a figure is called NAME{', NAME'.join(FORMATS)}")
    check_places(path)


def save_figure(figure: Figure, path: str | Path) -> str:
    """Writes a figure in the format of its name; returns where it is."""
    with replacing(path) as file:
        figure.savefig(file, format=Path(path).suffix[1:], bbox_inches="tight")
    return str(path)
