"""Options about sound that several subcommands share."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from backbeat.sound.notes import Performance, SoundExtras

# More than this is no latency but a mistake [ms].
MOST_LATENCY = 2000.0


def read_extras(
    click: bool,
    latency_ms: float,
    backing: Path | None,
    performance: "Performance | None" = None,
) -> "SoundExtras":
    """What is heard besides the drums, from the options `--click` and so on.

    Args:
        click: whether there is a metronome.
        latency_ms: by how much the drums are late [ms].
        backing: file to play along with; None for that of the performance.
        performance: whose own backing is looked for in the current folder and in
            `scores`; None for no backing but one that is named.

    Raises:
        BackbeatError: a latency that makes no sense, or a backing that is no sound.
    """
    from backbeat.models.common.errors import BackbeatError
    from backbeat.sound.mix import read_backing
    from backbeat.sound.notes import SoundExtras

    if not abs(latency_ms) <= MOST_LATENCY:
        raise BackbeatError(
            f"--latency-ms {latency_ms:g} is not between ±{MOST_LATENCY:g}"
        )
    if backing is None and performance is not None and performance.backing:
        backing = _own_backing(performance)
    sound = None if backing is None else read_backing(backing)
    return SoundExtras(click, 1e-3 * latency_ms, sound)


def _own_backing(performance: "Performance") -> Path | None:
    """The backing that a score names, if it is here."""
    from backbeat.behaviors.music.notation.backing import find_backing
    from backbeat.models.common.errors import BackbeatError

    for folder in (Path(), Path("scores")):
        try:
            return find_backing(folder, performance.backing, performance.name)
        except BackbeatError:
            continue
    typer.echo(
        f"{performance.backing}, the backing of {performance.name}, is neither in this "
        "folder nor in scores and is left out; name it by --backing",
        err=True,
    )
    return None
