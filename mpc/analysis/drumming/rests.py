"""Rests: how hard sticks press on drums while they rest there, read from contact."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.scenario.requested_tempo import RequestedTempo, requested_tempo
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.world.stick_contacts import FORCE, MEMBER, ROW

# A tip that has just landed, or is about to leave, does not rest yet [s].
SETTLING, LEAVING = 0.5, 0.1


def run_rests(run: SimulationRun) -> pd.DataFrame | None:
    """How hard resting sticks pressed in a run; None when none rested to the end."""
    table = measure_rests(
        run.strike_t,
        run.strikes,
        run.tips,
        run.members,
        run.behavior,
        requested_tempo(run.scenario.disturbances),
    )
    return None if table.empty else table


def measure_rests(
    t: np.ndarray,
    rows: np.ndarray,
    tips: Sequence[str],
    members: Sequence[str],
    behavior: Behavior,
    tempo: RequestedTempo | None = None,
) -> pd.DataFrame:
    """What was planned and what was felt in every rest that was played to its end.

    Args:
        t: (M,) sample times [s].
        rows: (M, tips * ROW) rows of `ContactLog.strikes`.
        tips, members: names in the order of the log.
        behavior: with the resting tips, their places and forces.
        tempo: requested; None for the authored one.

    Returns:
        One row a rest: time and duration [s], tip, member; least and most planned
        normal force [N]; least, mean and most force [N] once it has settled; and the
        most force of all, landing included [N].
    """
    table = rows.reshape(len(t), len(tips), ROW)
    found = []
    for authored in behavior.events:
        event = (tempo or RequestedTempo()).place(authored)
        end = event.time + event.duration
        if event.kind != "rest" or len(t) == 0 or end > t[-1]:
            continue
        one = table[:, tips.index(event.who)]
        there = one[:, MEMBER] == members.index(event.what)
        force = np.where(there, one[:, FORCE], 0.0)
        lasts = (t >= event.time) & (t < end)
        still = (t >= event.time + SETTLING) & (t < end - LEAVING)
        start, length = authored.time, authored.duration
        planned = _planned(behavior, event.who, start, start + length)
        found.append(
            {
                "time": event.time,
                "duration": event.duration,
                "tip": event.who,
                "member": event.what,
                "planned_min_N": float(planned.min()),
                "planned_max_N": float(planned.max()),
                "min_N": float(force[still].min(initial=np.inf)),
                "mean_N": float(force[still].mean()) if still.any() else np.nan,
                "max_N": float(force[still].max(initial=0.0)),
                "peak_N": float(force[lasts].max(initial=0.0)),
            }
        )
    return pd.DataFrame(found)


def _planned(behavior: Behavior, tip: str, start: float, end: float) -> np.ndarray:
    """Planned normal force of a tip while it rests [N]."""
    motion = behavior.motion
    c = motion.contacts.index(tip)
    inside = (motion.t >= start) & (motion.t <= end) & motion.standing[:, c]
    return np.asarray(motion.wrench[inside, c, 5])
