"""Offsets and steps of a dance, of a recording.

Joints keep their angles as far as their limits allow. Feet that stand get one place.
What is left of the body, its center of mass and the pelvis, is kept relative to the
feet; an optimizer makes a motion of it whose dynamics are possible.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy

from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.behaviors.posture.stance import support_poses
from backbeat.behaviors.recording.contacts.foot_roll import KeptFeet
from backbeat.behaviors.recording.contacts.step_roll import roll_notes
from backbeat.behaviors.recording.flights.flown import flown
from backbeat.behaviors.recording.flights.lowering import LOWER
from backbeat.behaviors.recording.planted_feet import (
    FootPath,
    Interval,
    PlantedMotion,
    plant_feet,
)
from backbeat.behaviors.recording.smoothing import without_noise
from backbeat.behaviors.recording.soles import noise
from backbeat.behaviors.recording.steps import (
    RecordedStep,
    as_stepped,
    find_steps,
    first_places,
    moved_start,
)
from backbeat.behaviors.takes.take import Take
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# Samples a second of what is kept, and the time that each is the mean over [s].
RATE, MEAN = 50.0, 0.04
# Distance from joint stops [rad].
STOP = 0.05
# Tilt of soles that are level in the air [rad].
LEVEL = 0.15
# Smaller changes are not worth a word [rad, m].
SLIGHT_ANGLE, SLIGHT_WAY = 0.005, 0.002


@dataclass(frozen=True)
class DanceOffsets:
    """A recording as a dance can have it.

    Attributes:
        t: (n,) times from the start [s].
        offsets: (n,) by channel: joints [rad], com.x, com.y, com.z [m] and pelvis.rx,
            pelvis.ry, pelvis.rz [rad], relative to the dance's start.
        steps: in order of time.
        planted: when each foot stands, in the file's time [s]; empty without legs.
        notes: sentences on what was found.
        changes: sentences on what could not stay as it was.
    """

    t: np.ndarray
    offsets: Mapping[str, np.ndarray]
    steps: tuple[RecordedStep, ...] = ()
    planted: Mapping[str, tuple[Interval, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


def dance_offsets(
    recording: Take,
    robot: RobotModel,
    q_start: np.ndarray,
    where: str,
    joints: Sequence[str] = (),
    planted: Mapping[str, Sequence[Interval]] | None = None,
    span: Interval | None = None,
    kept: KeptFeet | None = None,
) -> DanceOffsets:
    """Brings a recording within what a robot can do, and its feet to the ground.

    Args:
        recording: the recording.
        robot: model of the robot.
        q_start: (nq,) where the dance starts; joints not recorded stay there.
        where: names the recording in errors and notes.
        joints: names or groups to take; all if there are none.
        planted: when each foot stands, "left" and "right", in the file's time [s];
            None to find out.
        span: first and last time of the file to take [s]; None for all.
        kept: what feet keep of the recording; None for all that the robot can do.

    Raises:
        BackbeatError: a joint that was not recorded, feet that make no sense, or a jump
            that the robot cannot make.
    """
    chosen = _chosen(recording, robot, joints, where)
    t, (q_joints, base) = _resampled(recording, chosen, span, where)
    index = np.array([robot.joint_index(recording.joints[c]) for c in chosen])
    inside, changes = _clipped(q_joints, index, robot, t, where)
    rest = q_start[robot.base_positions :][index]
    offsets = {
        robot.joint_names[j]: inside[:, i] - rest[i] for i, j in enumerate(index)
    }
    found = DanceOffsets(t - t[0], offsets, changes=tuple(changes))
    if not np.isin(index, robot.leg_joints).any():
        if planted is not None:
            raise BackbeatError(
                f"{where}: feet are declared, but no joint of a leg is taken from the "
                "recording; leave 'planted' and 'feet' out, or take legs"
            )
        return found
    # Where the feet were follows from the joints as they were.
    q = np.tile(q_start, (len(t), 1))
    q[:, robot.base_positions + index] = q_joints
    if base is not None:
        q[:, :7] = base
    spacing = float(np.median(np.diff(recording.t)))
    motion = plant_feet(robot, t, q, base is not None, planted, where, spacing)
    own = {foot: path.planted for foot, path in motion.feet.items()}
    roll, jumps = kept or KeptFeet()
    if not roll or any(robot.contacts[n].rolls for n in robot.feet.values()):
        motion = _flat(motion, robot.name if roll else "", where)
    if motion.jumps:
        motion, offsets = flown(motion, robot, t, offsets, jumps == LOWER, where)
        found = replace(found, offsets=offsets)
    made = _on_feet(found, motion, robot, q_start, where, planted is not None)
    return replace(made, planted=own)


def _flat(motion: PlantedMotion, robot: str, where: str) -> PlantedMotion:
    """A motion whose feet stay flat, of a robot, or of a user who asked for it."""
    feet = {f: replace(path, roll=None) for f, path in motion.feet.items()}
    rolls = [p.roll for p in motion.feet.values() if p.roll is not None]
    notes = motion.notes
    if robot and any(r.rolls for r in rolls):
        notes += (
            f"{where}: feet roll over heel and toe; {robot} has no joint for ankle "
            "roll, and its feet stay flat",
        )
    return replace(motion, feet=feet, notes=notes)


def _on_feet(
    found: DanceOffsets,
    motion: PlantedMotion,
    robot: RobotModel,
    q_start: np.ndarray,
    where: str,
    is_declared: bool,
) -> DanceOffsets:
    """A recording's joints on feet that stand and step.

    Args:
        found: what joints alone make of the recording.
        motion: the recording with its feet on the ground.
        robot: model of the robot.
        q_start: (nq,) where the dance starts.
        where: names the recording in notes.
        is_declared: whether it was declared when each foot stands.
    """
    free = _left_out(robot, motion.feet)
    offsets = {n: o[motion.kept] for n, o in found.offsets.items() if n not in free}
    feet = as_stepped(motion.feet)
    offsets |= _body(robot, motion.q, motion.com, motion.t, feet, q_start)
    begin, poses = motion.t[0], support_poses(robot, q_start)
    stance = {f: poses[n].translation()[:2] for f, n in robot.feet.items()}
    at = first_places(feet, stance)
    steps = find_steps(feet, begin, at, where)
    return DanceOffsets(
        t=motion.t - begin,
        offsets=offsets,
        steps=tuple(steps),
        planted={foot: path.planted for foot, path in motion.feet.items()},
        notes=(
            *motion.notes,
            *_stances(motion.feet, is_declared, where),
            *roll_notes(
                [s.roll for s in steps], [p.roll for p in feet.values()], where
            ),
        ),
        changes=(
            *found.changes,
            *_moved(motion.feet, where),
            *moved_start(motion.feet, at, where),
        ),
    )


def _left_out(robot: RobotModel, feet: Mapping[str, FootPath]) -> set[str]:
    """Joints of legs that have what the soles leave them, rather than their own angles.

    A dance has feet land, leave and swing about level. Ankles of feet that roll or
    point would tilt them. Of a robot that does not say which joints its ankles are, all
    of the legs' joints are left out.
    """
    ankles = {side: f"{side} ankle" for side in feet}
    if not all(role in robot.roles for role in ankles.values()):
        return {robot.joint_names[j] for j in robot.leg_joints}
    tilted = [side for side, path in feet.items() if path.tilt > LEVEL]
    return {name for side in tilted for name in robot.roles.names(ankles[side])}


def _chosen(
    recording: Take, robot: RobotModel, joints: Sequence[str], where: str
) -> list[int]:
    """Columns of the joints to take."""
    if not joints:
        return list(range(len(recording.joints)))
    wanted = dict.fromkeys(robot.joint_indices(list(joints)).tolist())
    names = [robot.joint_names[j] for j in wanted]
    there = [n for n in names if n in recording.joints]
    missing = [n for n in joints if n in names and n not in there]
    if missing or not there:
        raise BackbeatError(
            f"{where}: {' and '.join(missing or joints)} was not recorded; it has "
            f"{', '.join(recording.joints[:40])}"
        )
    return [recording.joints.index(n) for n in there]


def _resampled(
    recording: Take, chosen: list[int], span: Interval | None, where: str
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray | None]]:
    """The recording at an even rate, each sample a mean over a short time.

    The curve between samples has no overshoot (Fritsch and Carlson, "Monotone Piecewise
    Cubic Interpolation", 1980); the mean is exact, so that any rate will do.
    """
    source = recording.t
    first, last = span if span is not None else (source[0], source[-1])
    if not source[0] - 1e-9 <= first < last <= source[-1] + 1e-9:
        raise BackbeatError(
            f"{where}: the part from {first:g} to {last:g} s was asked for; the file "
            f"goes from {source[0]:g} to {source[-1]:g} s"
        )
    n = max(4, round((last - first) * RATE) + 1)
    t = np.linspace(first, last, n)
    low = np.clip(t - 0.5 * MEAN, source[0], source[-1])
    high = np.clip(t + 0.5 * MEAN, source[0], source[-1])

    def mean(values: np.ndarray) -> np.ndarray:
        curve = scipy.interpolate.PchipInterpolator(source - first, values, axis=0)
        whole = curve.antiderivative()
        area = whole(high - first) - whole(low - first)
        return np.asarray(area / (high - low)[:, None])

    # Noise of means over several samples is that much less.
    spacing = float(np.median(np.diff(source)))
    share = min(1.0, np.sqrt(spacing / MEAN))

    def motion(values: np.ndarray) -> np.ndarray:
        shakes = share * np.array([noise(x[:, None]) for x in values.T])
        return without_noise(mean(values), float(t[1] - t[0]), shakes)

    base = None
    if recording.base is not None:
        base = motion(recording.base)
        base[:, :4] /= np.linalg.norm(base[:, :4], axis=1)[:, None]
    return t, (motion(recording.q[:, chosen]), base)


def _clipped(
    q: np.ndarray, index: np.ndarray, robot: RobotModel, t: np.ndarray, where: str
) -> tuple[np.ndarray, list[str]]:
    """Angles within the joints' ranges, and what was beyond."""
    lower, upper = robot.position_lower[index], robot.position_upper[index]
    inside = np.clip(q, lower + STOP, upper - STOP)
    away = np.abs(q - inside)
    notes = []
    for i in np.argsort(-away.max(axis=0)):
        beyond = max((lower[i] - q[:, i]).max(), (q[:, i] - upper[i]).max())
        if beyond <= SLIGHT_ANGLE:
            continue
        k = int(away[:, i].argmax())
        notes.append(
            f"{where}: {robot.joint_names[index[i]]} goes to {q[k, i]:.2f} rad at "
            f"{t[k]:.2f} s and is held at {inside[k, i]:.2f}; its range is "
            f"{lower[i]:.2f} to {upper[i]:.2f}"
        )
    return inside, notes


def _stances(
    feet: Mapping[str, FootPath], is_declared: bool, where: str
) -> Iterator[str]:
    """When each foot stands."""
    how = "as declared" if is_declared else "as found"
    for foot, path in feet.items():
        times = ", ".join(f"{a:.2f} to {b:.2f}" for a, b in path.planted)
        yield f"{where}: the {foot} foot stands from {times} s, {how}"


def _moved(feet: Mapping[str, FootPath], where: str) -> Iterator[str]:
    """How far each foot had to be moved to stay where it stands."""
    for foot, path in feet.items():
        k = int(path.slides.argmax())
        if path.slides[k] > SLIGHT_WAY:
            a, b = path.planted[k]
            yield (
                f"{where}: the {foot} foot slides and is up to "
                f"{1000 * path.slides[k]:.0f} mm away from where it now stays, from "
                f"{a:.2f} to {b:.2f} s"
            )


def _body(
    robot: RobotModel,
    q: np.ndarray,
    com: np.ndarray,
    t: np.ndarray,
    feet: Mapping[str, FootPath],
    q_start: np.ndarray,
) -> dict[str, np.ndarray]:
    """Center of mass and pelvis relative to where the feet are and face."""
    from scipy.spatial.transform import Rotation

    place = np.mean([_way(path, t) for path in feet.values()], axis=0)
    c, s = np.cos(place[:, 2]), np.sin(place[:, 2])
    x, y = (com[:, :2] - place[:, :2]).T
    height = Configuration(robot, q_start).center_of_mass[2]
    back = Rotation.from_rotvec(np.outer(-place[:, 2], [0.0, 0.0, 1.0]))
    pelvis = back * Rotation.from_quat(q[:, :4], scalar_first=True)
    turns = pelvis.as_euler("xyz")
    return {
        "com.x": c * x + s * y,
        "com.y": c * y - s * x,
        "com.z": com[:, 2] - height,
        **{f"pelvis.r{a}": turns[:, i] for i, a in enumerate("xyz")},
    }


def _way(path: FootPath, t: np.ndarray) -> np.ndarray:
    """(n, 3) where a foot counts as being: smoothly from place to place."""
    way = np.tile(path.places[0], (len(t), 1))
    for k in range(len(path.places) - 1):
        start, end = path.planted[k][1], path.planted[k + 1][0]
        share = minimum_jerk(np.clip((t - start) / (end - start), 0.0, 1.0))
        way += share[:, None] * (path.places[k + 1] - path.places[k])
    return way
