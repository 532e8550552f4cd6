"""Analysis of drumming: rests in the motion, and comparison with human drummers.

Everything is read from the table and the story of a run file. Tips are where forward
kinematics has them: 200 samples a second do not resolve the 5 ms of a contact, so
speeds at the head are those of the contact log.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from backbeat.behaviors.drumming.drummer import stick_tip
from backbeat.behaviors.drumming.elbows import Elbows
from backbeat.behaviors.kinematic.two_branches import TIPS
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.music.notation.score import HANDS
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.state.names import position_names, velocity_names
from backbeat.mpc.analysis.drumming.drummer_literature import PEOPLE

# A tip that is slower rests [m/s], and a hold is at least so long [s].
RESTING, LEAST_HOLD = 0.05, 1.0
# Speeds are means over this [s].
SMOOTHING = 0.06
# The way up and down of a stroke is seen within this before the hit [s].
STROKE = 0.6
# Joints' shares of a stroke are taken so long before the hit [s].
BEFORE = 0.015


@dataclass(frozen=True)
class DrummerMotion:
    """A run's motion with the tips of its sticks.

    Attributes:
        robot: the robot, floating, with sticks.
        t: (N,) times from the beginning of the behavior on [s].
        q, v: (N, nq), (N, nv) states.
        tips: (N, 2, 3) places of left and right tip [m].
    """

    robot: RobotModel
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    tips: np.ndarray

    @property
    def speeds(self) -> np.ndarray:
        """(N, 2) speeds of the tips, smoothed [m/s]."""
        moved = np.gradient(self.tips, self.t, axis=0)
        speed = np.linalg.norm(moved, axis=2)
        step = float(np.median(np.diff(self.t)))
        width = max(round(SMOOTHING / step), 1)
        return np.asarray(pd.DataFrame(speed).rolling(width, 1, center=True).mean())


def drummer_motion(
    samples: pd.DataFrame, robot: str = "atlas", equipment: Sequence[str] = ("sticks",)
) -> DrummerMotion:
    """The motion in a run's table.

    Args:
        samples: table of a run, see `backbeat.mpc.runs.file`.
        robot: shipped name, or path of a robot YAML.
        equipment: what it carries and sits on; sticks are among that.

    Raises:
        BackbeatError: the table is not that of this robot with a free base.
    """
    model = make_robot(robot, tuple(equipment), Mount())
    positions, velocities = position_names(model), velocity_names(model)
    missing = [n for n in ["t", *positions, *velocities] if n not in samples.columns]
    if missing:
        raise BackbeatError(
            f"this is no run of a free {robot} with sticks: it lacks {missing[0]}"
        )
    samples = samples[samples["t"] >= 0]
    if len(samples) < 10:
        raise BackbeatError("the run has no more than a moment to analyze")
    q = samples[positions].to_numpy()
    state, tips = Configuration(model, q[0]), np.zeros((len(q), 2, 3))
    for k in range(len(q)):
        state.update(q[k])
        tips[k] = [state.pose(tip).translation() for tip in TIPS]
    v = samples[velocities].to_numpy()
    return DrummerMotion(model, samples["t"].to_numpy(), q, v, tips)


def find_holds(motion: DrummerMotion, story: Mapping[str, Any]) -> pd.DataFrame:
    """Stretches in which both tips rest, and how hard they press.

    They are found in the motion; the score is not used.

    Args:
        motion: of the run.
        story: of the run, for the forces that were measured.

    Returns:
        One row a hold: `start`, `end` [s], `turn` the range of the torso about z
        [rad], and `left`, `right` mean force on the head [N], NaN where no rest was
        measured.
    """
    still = np.r_[False, (motion.speeds < RESTING).all(1), False]
    change = np.diff(still.astype(int))
    starts, ends = np.where(change == 1)[0], np.where(change == -1)[0] - 1
    (turn,) = motion.robot.base_positions + motion.robot.roles.joints("waist yaw")
    rests = story["metrics"].get("rests") or []
    rows = []
    for a, b in zip(starts, ends, strict=True):
        start, end = float(motion.t[a]), float(motion.t[b])
        if end - start < LEAST_HOLD:
            continue
        row = {
            "start": start,
            "end": end,
            "turn": float(np.ptp(motion.q[a : b + 1, turn])),
        }
        for hand in HANDS:
            forces = [
                rest["mean_N"]
                for rest in rests
                if rest["tip"] == stick_tip(hand)
                and rest["time"] < end
                and start < rest["time"] + rest["duration"]
            ]
            row[hand] = float(forces[0]) if forces else np.nan
        rows.append(row)
    return pd.DataFrame(rows, columns=["start", "end", "turn", *HANDS])


def strokes(motion: DrummerMotion, story: Mapping[str, Any]) -> pd.DataFrame:
    """What every stroke of a hand that was made looked like.

    Returns:
        One row a stroke: `time` [s], `hand`, `member`, `error` against the score [s],
        `speed` at the head [m/s], `height` of the way above the higher of its ends
        [m], and the shares of `wrist`, `elbow`, `shoulder` and `body` in the tip's
        speed along z just before.
    """
    rows, last = [], dict.fromkeys(HANDS, -np.inf)
    state = Configuration(motion.robot, motion.q[0])
    made = [h for h in story["hits"] if h["made"] and h["tip"] in TIPS]
    for hit in sorted(made, key=lambda h: h["time"]):
        hand = next(h for h in HANDS if hit["tip"] == stick_tip(h))
        at = hit["time"] + hit["error"]
        if at > motion.t[-1]:
            continue
        k = int(np.argmin(np.abs(motion.t - (at - BEFORE))))
        first = int(np.searchsorted(motion.t, max(last[hand], at - STROKE)))
        z = motion.tips[first : k + 4, HANDS.index(hand), 2]
        rows.append(
            {
                "time": at,
                "hand": hand,
                "member": hit["member"],
                "error": hit["error"],
                "speed": hit["speed"],
                "height": float(z.max() - max(z[0], z[-1])) if len(z) else np.nan,
                **_shares(state.update(motion.q[k]), motion.v[k], hand),
            }
        )
        last[hand] = at
    columns = ["time", "hand", "member", "error", "speed", "height"]
    return pd.DataFrame(rows, columns=[*columns, *PARTS])


PARTS = ("wrist", "elbow", "shoulder", "body")


def _shares(state: Configuration, v: np.ndarray, hand: str) -> dict[str, float]:
    """Shares of joints in a tip's speed along z; they add up to one."""
    robot, base = state.robot, state.robot.base_velocities
    parts = state.jacobian(stick_tip(hand))[5] * v
    total = float(parts.sum())
    if abs(total) < 1e-3:
        return dict.fromkeys(PARTS, np.nan)
    of = {
        part: robot.roles.joints(f"{hand} {part}")
        for part in ("wrist", "elbow", "shoulder")
    }
    shares = {part: float(parts[base + at].sum()) / total for part, at in of.items()}
    return shares | {"body": 1.0 - sum(shares.values())}


def likeness(made: pd.DataFrame, elbows: Elbows) -> pd.DataFrame:
    """How like a person it is played, beside what is known of people.

    Args:
        made: strokes, see `strokes`.
        elbows: along the same motion, see
            `backbeat.behaviors.drumming.elbows.find_elbows`.

    Returns:
        One row a measure: `measure`, `unit`, `left`, `right`, `people` and `source`,
        both in words.
    """
    by = {hand: made[made["hand"] == hand] for hand in HANDS}
    rows: list[tuple[str, str, list[float]]] = [
        ("stroke height", "mm", [1e3 * h["height"].median() for h in by.values()]),
        ("tip speed", "m/s", [h["speed"].mean() for h in by.values()]),
        ("wrist share", "%", [1e2 * h["wrist"].median() for h in by.values()]),
        ("strokes", "1/s", [_rate(h["time"]) for h in by.values()]),
        ("timing, mean", "ms", [1e3 * h["error"].mean() for h in by.values()]),
        ("timing, SD", "ms", [1e3 * h["error"].std(ddof=0) for h in by.values()]),
        ("elbow below its shoulder", "%", list(1e2 * elbows.share_down())),
        ("elbow below its shoulder, least", "mm", list(1e3 * elbows.least_depth())),
        ("elbow below its arm's line", "%", list(1e2 * elbows.share_sagging())),
    ]
    for measure in ("stroke height", "tip speed"):
        pair = next(values for name, _, values in rows if name == measure)
        # Of a hand that does not play both are unknown, and so is this.
        most = np.max(pair)
        ratio = 1e2 * np.min(pair) / most if most > 0 else np.nan
        rows.append((f"symmetry of {measure}", "%", [ratio, ratio]))
    table = [
        {
            "measure": name,
            "unit": unit,
            "left": values[0],
            "right": values[1],
            "people": PEOPLE[name].figure if name in PEOPLE else "no figure found",
            "source": PEOPLE[name].source if name in PEOPLE else "",
        }
        for name, unit, values in rows
    ]
    return pd.DataFrame(table)


def _rate(times: pd.Series) -> float:
    """Strokes a second while strokes follow each other."""
    gaps = np.diff(np.sort(times.to_numpy()))
    return float(1.0 / np.median(gaps)) if len(gaps) else float("nan")
