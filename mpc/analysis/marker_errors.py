"""Markers of a run: how late the extremes of a dance's moves came."""

import pandas as pd

from backbeat.behaviors.dance.markers import Traced, measure_markers
from backbeat.mpc.plans.touchdown import EARLY
from backbeat.mpc.simulation.run import SimulationRun


def run_markers(run: SimulationRun) -> pd.DataFrame | None:
    """How late every marker of a run was, None without markers.

    See `backbeat.behaviors.dance.markers`.

    A foot carries weight from the force on that controllers take for a touchdown.
    """
    robot = run.behavior.robot_model
    up = run.contact[:, :, 5] > EARLY
    loaded = {name: up[:, robot.patches.index(name)] for name in robot.soles}
    motion = Traced(robot, run.t, run.x[:, : robot.num_positions], loaded)
    table = measure_markers(run.requested_events(), motion)
    return None if table.empty else table
