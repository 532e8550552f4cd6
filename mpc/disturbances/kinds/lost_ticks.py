"""LostTicks: ticks of the whole-body controller that are lost.

A computer is late, or stalls. In a lost tick nothing is computed. The command in force
goes on: its torques, and what stiffness and damping of the servo make of the state
meanwhile. Ticks come in groups of `world.tick_burst`, which are lost or not as a whole;
each group is decided by the seed and its number alone. The first tick is never lost,
for before it there is no command.
"""

from dataclasses import dataclass
from typing import ClassVar

from backbeat.models.common.schema import key
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.draws import Stream, random_stream

# Most ticks that are lost at once: ten seconds of them are a controller that is gone.
MOST_BURST = 5000


@dataclass
class LostTicks(Disturbance):
    """Ticks of the whole-body controller in which nothing is computed."""

    name: ClassVar[str] = "lost ticks"

    tick_loss: float = key(0.0, ge=0, le=1.0)
    """Share of the whole-body controller's ticks that are lost: nothing is computed,
    and the last command continues."""
    tick_burst: int = key(1, ge=1, le=MOST_BURST)
    """Number of successive ticks that are lost at once."""

    def loses_tick(self, number: int, seed: int) -> bool:
        """Whether the group of a tick is lost."""
        if self.tick_loss == 0 or number == 0:
            return False
        group = number // self.tick_burst
        draw = random_stream(seed, Stream.TICK, group).uniform()
        return bool(draw < self.tick_loss)
