"""What changed from a take to the behavior that was made of it, over time.

Both are sampled at the same instants. The take is turned about the vertical and moved
along the floor to where the behavior begins: by the foot that keeps standing first, as
a dance places it. Its height stays as it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.library.runs import runs
from backbeat.behaviors.motion.concatenation import make_continuous
from backbeat.behaviors.recording.foot_contacts import find_contacts
from backbeat.behaviors.recording.soles import Soles, find_soles, leg_height
from backbeat.behaviors.recording.take_file import configurations
from backbeat.behaviors.takes.take import Take
from backbeat.models.robot.model import RobotModel
from backbeat.models.robot.roles import LIMBS, SIDES
from backbeat.models.state.motion_poses import motion_poses
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory

if TYPE_CHECKING:
    import pandas as pd

# Instants a second at which both are compared, and the fewest of them.
RATE, FEWEST = 50.0, 9
# What of a take says where it is: its start, in which some foot stands [s].
PLACED_BY = 20.0
# Joints that no limb has, as carried things may have them.
OTHERS = "other joints"


@dataclass(frozen=True)
class RecordedPart:
    """Which part of a take a part of a behavior was made of, evenly stretched.

    Attributes:
        start, end: times of the behavior [s].
        first, last: times of the take [s].
        mirror: whether left and right are exchanged.
    """

    start: float
    end: float
    first: float
    last: float
    mirror: bool = False


@dataclass(frozen=True)
class LargestChange:
    """Where something is farthest from the take.

    Attributes:
        what: "root", "root turn", a limb, a hand or a foot.
        value: how far, in `unit`.
        unit: "mm" or "degrees".
        time: of the behavior [s].
        take_time: of the take [s].
        joint: which one of a limb, or "".
    """

    what: str
    value: float
    unit: str
    time: float
    take_time: float
    joint: str = ""


@dataclass(frozen=True)
class TakeChanges:
    """How far a behavior is from a take.

    Attributes:
        part: what was compared.
        q_take: (n, nq) configurations of the take, where the behavior has it; what was
            not taken is as in the behavior.
        q: (n, nq) those of the behavior.
        table: n rows. `t` and `t_take` [s]; `root_mm`, `root_deg`, and `left_hand_mm`,
            `left_foot_mm` and so on, distances, unless the take has no base or its legs
            were not taken; `joints_rms_deg`; and a column for each joint that was
            taken, `NAME_deg`, its angle in the behavior less that in the take.
        largest: the largest change of each part of the body.
    """

    part: RecordedPart
    q_take: np.ndarray
    q: np.ndarray
    table: "pd.DataFrame"
    largest: tuple[LargestChange, ...]

    def sentence(self, what: str) -> str:
        """All of it in one sentence; `what` names the recording."""
        columns = self.table.columns
        worst = max(
            (x for x in self.largest if x.joint), key=lambda x: x.value, default=None
        )
        parts = []
        if "root_mm" in columns:
            root = self.table["root_mm"]
            parts.append(("the root is", f"{root.max():.0f} mm (RMS {_rms(root):.0f})"))
        if worst is not None:
            rms = _rms(self.table["joints_rms_deg"])
            size = f"{worst.value:.1f} degrees ({worst.joint}; RMS of all {rms:.2g})"
            parts.append(("joints are", size))
        for kind, several in (("hand", "hands are"), ("foot", "feet are")):
            found = [c for c in columns if c.endswith(f"_{kind}_mm")]
            if found:
                parts.append((several, f"{self.table[found].to_numpy().max():.0f} mm"))
        said = [f"{subject} off by up to {size}" for subject, size in parts[:1]]
        said += [f"{of.removesuffix(' are')} by up to {x}" for of, x in parts[1:]]
        joined = ", ".join(said[:-1]) + (" and " if said[1:] else "") + said[-1]
        return f"{what}: compared with the take, {joined}"


def take_changes(
    take: Take,
    robot: RobotModel,
    motion: DenseTrajectory,
    part: RecordedPart,
    joints: Sequence[str] = (),
) -> TakeChanges:
    """Compares a behavior with the take that it was made of.

    Args:
        take: the take.
        robot: whose motion both are.
        motion: that of the behavior.
        part: which part of each.
        joints: names or groups of those that were taken; all if there are none.
    """
    import pandas as pd

    n = max(FEWEST, round((part.end - part.start) * RATE) + 1)
    t = np.linspace(part.start, part.end, n)
    u = np.linspace(part.first, part.last, n)
    q = _normal(np.stack([np.interp(t, motion.t, x) for x in motion.q.T], axis=1))
    given, taken = _take_at(take, robot, u), _taken(take, robot, joints)
    walks = take.base is not None and taken[robot.leg_joints].any()
    if part.mirror:
        given = np.stack([robot.mirrored(row) for row in given])
        taken = _mirrored(taken, robot)
    columns: dict[str, np.ndarray] = {"t": t, "t_take": u}
    if walks:
        soles = find_soles(robot, t[1] - t[0], q)
        given = _placed(robot, given, u[1] - u[0], soles)
        columns |= _distances(robot, given, q, soles)
    else:
        given[:, : robot.base_positions] = q[:, : robot.base_positions]
    rest = robot.base_positions + np.flatnonzero(~taken)
    given[:, rest] = q[:, rest]
    index = np.flatnonzero(taken)
    away = np.degrees(q - given)[:, robot.base_positions :][:, index]
    columns["joints_rms_deg"] = np.sqrt((away**2).mean(axis=1))
    names = [robot.joint_names[j] for j in index]
    columns |= {f"{name}_deg": away[:, i] for i, name in enumerate(names)}
    table = pd.DataFrame(columns)
    return TakeChanges(part, given, q, table, tuple(_largest(table, robot, names)))


def _rms(values: "pd.Series") -> float:
    return float(np.sqrt((values**2).mean()))


def _normal(q: np.ndarray) -> np.ndarray:
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    return q


def _take_at(take: Take, robot: RobotModel, u: np.ndarray) -> np.ndarray:
    """Configurations of a take at given times, without overshoot between samples."""
    q = configurations(take, robot)
    make_continuous(q, robot.num_joints)
    at = np.clip(u, take.t[0], take.t[-1])
    return _normal(
        np.asarray(scipy.interpolate.PchipInterpolator(take.t, q, axis=0)(at))
    )


def _taken(take: Take, robot: RobotModel, joints: Sequence[str]) -> np.ndarray:
    """(nj,) whether a joint was taken."""
    recorded, asked = np.zeros((2, robot.num_joints), bool)
    recorded[[robot.joint_index(name) for name in take.joints]] = True
    asked[robot.joint_indices(list(joints)) if joints else slice(None)] = True
    return np.asarray(recorded & asked)


def _mirrored(taken: np.ndarray, robot: RobotModel) -> np.ndarray:
    """The same of joints on the other side."""
    q = np.r_[np.zeros(robot.base_positions), taken.astype(float)]
    return np.asarray(robot.mirrored(q)[robot.base_positions :] != 0)


def _placed(robot: RobotModel, q: np.ndarray, dt: float, soles: Soles) -> np.ndarray:
    """A take where a behavior has it.

    Args:
        robot: whose motion it is.
        q: (n, nq) the take.
        dt: time between its samples [s].
        soles: those of the behavior.
    """
    first = q[: max(FEWEST, round(PLACED_BY / dt))]
    own = find_soles(robot, dt, first)
    leg = leg_height(robot, own, first[:, 6])
    on = find_contacts(own, leg, robot.gravity, dt).on
    feet = _standing_longest(on)
    here = np.mean([_place(own, f, _first_stance(on[f])) for f in feet], axis=0)
    there = np.mean([_place(soles, f, slice(0, 1)) for f in feet], axis=0)
    turn = (there[2] - here[2] + np.pi) % (2 * np.pi) - np.pi
    c, s = np.cos(turn), np.sin(turn)
    R, out = np.array([[c, -s], [s, c]]), q.copy()
    out[:, 4:6] = (q[:, 4:6] - here[:2]) @ R.T + there[:2]
    # The product of quaternions, the first one about z.
    c, s = np.cos(0.5 * turn), np.sin(0.5 * turn)
    w, x, y, z = q[:, :4].T
    turned = [c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w]
    out[:, :4] = np.stack(turned, axis=1)
    return out


def _standing_longest(on: Mapping[str, np.ndarray]) -> list[str]:
    """The foot that leaves the ground last, or both if none does."""
    ends = {foot: runs(flags)[0][1] if flags.any() else 0 for foot, flags in on.items()}
    last = max(ends.values())
    return [foot for foot in FEET if ends[foot] == last]


def _first_stance(on: np.ndarray) -> slice:
    """The first row of samples at which a foot stands, without their ends."""
    a, b = runs(on)[0] if on.any() else (0, 1)
    trim = (b - a) // 4
    return slice(a + trim, b - trim)


def _place(soles: Soles, foot: str, rows: slice) -> np.ndarray:
    """(3,) where a sole is: x, y [m] and heading [rad]."""
    x, y = np.median(soles.flat(foot)[rows, :2], axis=0)
    return np.array([x, y, np.median(soles.heading(foot)[rows])])


def _distances(
    robot: RobotModel, given: np.ndarray, q: np.ndarray, soles: Soles
) -> dict[str, np.ndarray]:
    """How far root, hands and feet are apart, by column."""
    across = np.abs((given[:, :4] * q[:, :4]).sum(axis=1))
    found = {
        "root_mm": 1e3 * np.linalg.norm(q[:, 4:7] - given[:, 4:7], axis=1),
        "root_deg": np.degrees(2 * np.arccos(np.clip(across, 0.0, 1.0))),
    }
    hands = [f"{side} hand" for side in SIDES if f"{side} hand" in robot.parts]
    places = [_places(robot, rows, hands) for rows in (given, q)]
    for hand in hands:
        apart = np.linalg.norm(places[1][hand] - places[0][hand], axis=1)
        found[f"{hand.replace(' ', '_')}_mm"] = 1e3 * apart
    before = find_soles(robot, soles.dt, given)
    for foot in FEET:
        apart = np.linalg.norm(soles.p[foot] - before.p[foot], axis=1)
        found[f"{foot}_foot_mm"] = 1e3 * apart
    return found


def _places(
    robot: RobotModel, q: np.ndarray, parts: Sequence[str]
) -> dict[str, np.ndarray]:
    """(n, 3) places of parts of the body [m]."""
    poses = motion_poses(robot, q, [robot.parts[part].frame for part in parts])
    return {part: poses.p[:, i] for i, part in enumerate(parts)}


def _largest(
    table: "pd.DataFrame", robot: RobotModel, names: Sequence[str]
) -> Iterator[LargestChange]:
    """The largest change of each part, those with distances first."""

    def at(column: str, what: str, unit: str, joint: str = "") -> LargestChange:
        k = int(table[column].abs().to_numpy().argmax())
        value = abs(float(table[column].iloc[k]))
        t, u = (float(table[c].iloc[k]) for c in ("t", "t_take"))
        return LargestChange(what, value, unit, t, u, joint)

    for column in table.columns:
        if column.endswith("_mm"):
            yield at(column, column.removesuffix("_mm").replace("_", " "), "mm")
    if "root_deg" in table:
        yield at("root_deg", "root turn", "degrees")
    limbs = {r: set(robot.roles.names(r)) for r in LIMBS if r in robot.roles}
    limbs[OTHERS] = set(names).difference(*limbs.values())
    for limb, members in limbs.items():
        own = [f"{n}_deg" for n in names if n in members]
        if own:
            worst = str(table[own].abs().max().idxmax())
            yield at(worst, limb, "degrees", worst.removesuffix("_deg"))
