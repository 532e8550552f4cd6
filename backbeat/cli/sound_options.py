"""Options about sound that several subcommands share."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backbeat.sound.notes import SoundExtras

# More than this is no latency but a mistake [ms].
MOST_LATENCY = 2000.0


def read_extras(click: bool, latency_ms: float, backing: Path | None) -> "SoundExtras":
    """What is heard besides the drums, from the options `--click` and so on.

    Raises:
        BackbeatError: a latency that makes no sense, or a backing that is no sound.
    """
    from backbeat.sound.mix import read_backing
    from backbeat.sound.notes import SoundExtras
    from models.errors import BackbeatError

    if not abs(latency_ms) <= MOST_LATENCY:
        raise BackbeatError(
            f"--latency-ms {latency_ms:g} is not between ±{MOST_LATENCY:g}"
        )
    sound = None if backing is None else read_backing(backing)
    return SoundExtras(click, 1e-3 * latency_ms, sound)
