"""Ticks of the whole-body controller that are lost: a computer that is late, or stalls.

In a lost tick nothing is computed. The command in force goes on: its torques, and what
stiffness and damping of the servo make of the state meanwhile. Ticks come in groups of
`world.tick_burst`, which are lost or not as a whole; each group is decided by the seed
and its number alone. The first tick is never lost, for before it there is no command.
"""

from collections.abc import Callable

from backbeat.mpc.disturbances.draws import Stream, random_stream
from backbeat.mpc.scenario.model_mismatch import ModelMismatch


def is_tick_lost(number: int, error: ModelMismatch, seed: int) -> bool:
    """Whether a tick gets lost in a run.

    Args:
        number: of the tick, from 0 at the beginning of the simulation.
        error: its loss and burst.
        seed: of the run.
    """
    if error.tick_loss == 0 or number == 0:
        return False
    group = number // error.tick_burst
    draw = random_stream(seed, Stream.TICK, group).uniform()
    return bool(draw < error.tick_loss)


def tick_losses(
    error: ModelMismatch, seed: int, period: float
) -> Callable[[float], bool]:
    """Says of a time since a simulation began [s] whether its tick is lost.

    Args:
        error: loss and burst.
        seed: of the run.
        period: of ticks [s].
    """

    def is_lost(t: float) -> bool:
        return is_tick_lost(round(t / period), error, seed)

    return is_lost
