"""Singular values over a song, with and without what keeps arms from stretching."""

from dataclasses import replace

import numpy as np
import pandas as pd

from backbeat.behaviors.kinematic.player import KinematicSettings, play_kinematically
from backbeat.behaviors.kinematic.two_branches import two_branch_jacobian
from backbeat.behaviors.music.notation.score import Score
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# What keeps arms from stretching, and the settings with which each of it is off. The
# report's robot has no ranges of joints either: arms that may leave them get out of
# every difficulty in ways that no robot can follow, so this is a case of its own.
NO_CURE = {"elbow": 0.0, "upright": 0.0, "damping": 0.0, "keep": 0.0}
CASES: dict[str, dict[str, float]] = {
    "all measures": {},
    "no elbow": {"elbow": 0.0},
    "no upright torso": {"upright": 0.0},
    "no damping": {"damping": 0.0},
    "no floor": {"floor": 0.0},
    "no measures": NO_CURE,
    "no measures, no ranges": {**NO_CURE, "limits": 0.0},
}


def compare_cures(
    score: Score, kit: DrumKit, settings: KinematicSettings | None = None
) -> pd.DataFrame:
    """Plays a score with all cures, without each of them, and without any.

    Returns:
        One row a case and time: `case`, `t` [s], `smallest` and `largest` singular
        value of the tips' Jacobian [m/rad], `fastest` joint speed [rad/s],
        `tip_error` of the worse tip [m] and `excess`, how far the worst joint is out
        of its range [rad].
    """
    settings = settings or KinematicSettings()
    tables = []
    for case, changes in CASES.items():
        played = play_kinematically(score, kit, replace(settings, **changes))
        columns = {
            "case": case,
            "t": played.times,
            "smallest": played.singular[:, -1],
            "largest": played.singular[:, 0],
            "fastest": np.abs(played.qdot).max(1),
            "tip_error": played.tip_error.max(1),
            "excess": played.beyond().max(1),
        }
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def singular_values(robot: RobotModel, t: np.ndarray, q: np.ndarray) -> pd.DataFrame:
    """Singular values of both tips' Jacobian along any motion, such as a run.

    Args:
        robot: a robot with two sticks.
        t: (N,) times [s].
        q: (N, nq) configurations.

    Returns:
        Columns `t` and `s1` to `s6`, falling [m/rad].
    """
    state, values = Configuration(robot, q[0]), np.zeros((len(t), 6))
    for k in range(len(t)):
        J, _ = two_branch_jacobian(state.update(q[k]))
        values[k] = np.linalg.svd(J, compute_uv=False)
    names = [f"s{i + 1}" for i in range(6)]
    return pd.DataFrame({"t": t, **dict(zip(names, values.T, strict=True))})
