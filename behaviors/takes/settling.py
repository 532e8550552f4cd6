"""What a file holds, in seconds, radians and meters, quaternions with w first, z up.

A format says what its numbers are; here that is compared with what the robot can do.
Where both disagree, or nothing is said and two readings make sense, the file is refused
with both of them.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
from pydrake.math import RollPitchYaw

from backbeat.behaviors.motion.concatenation import make_continuous
from backbeat.behaviors.takes.take import Conventions, MotionFile, Take
from backbeat.behaviors.takes.timing import check_time, gaps
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

# Angles this far beyond a joint's range are no mistake of the performer [rad].
FAR = np.pi
# A recording whose angles are all smaller has been taken for degrees [rad].
SMALL = np.radians(3.3)
# Places beyond are no meters [m].
DISTANT = 1e4
UNITS = {"radians": 1.0, "degrees": np.pi / 180}
LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001}
WORDS = {"m": "meters", "cm": "centimeters", "mm": "millimeters"}
QUATERNIONS = ("wxyz", "xyzw")
UPS = ("z", "y")
# Of the height of the base when the robot stands: what it may be most of the time.
LOWEST, HIGHEST = 0.15, 3.0
CHOICES = {
    "unit": tuple(UNITS),
    "length": tuple(LENGTHS),
    "quaternion": QUATERNIONS,
    "up": UPS,
}
# How far a quaternion's length may be from one.
ROUGH = 0.1


def check_conventions(told: Conventions, path: object) -> None:
    """Refuses words that no convention has.

    Raises:
        BackbeatError: the word, with those that exist.
    """
    for key, known in CHOICES.items():
        word = getattr(told, key)
        if word and word not in known:
            raise BackbeatError(f"{path}: {key} is {' or '.join(known)}, not {word!r}")


def settled(
    file: MotionFile, robot: RobotModel, told: Conventions, path: str | Path
) -> Take:
    """A take of what a file holds.

    Args:
        file: what it holds.
        robot: whose motion it is.
        told: what the user says about it.
        path: names the file in errors.

    Raises:
        BackbeatError: what is wrong with it, or what it leaves open.
    """
    told = Conventions() if file.converted else told
    check_time(file.t, path, file.first_line)
    unit = told.unit or _unit(file, robot, path)
    q = UNITS[unit] * file.q
    _check_ranges(replace(file, q=q), robot, unit, path)
    base, words = None, ""
    if file.place is not None and file.turn is not None:
        length, up = _length_and_up(file, robot, told, path)
        order = told.quaternion or file.quaternion or "wxyz"
        place = LENGTHS[length] * file.place
        _check_places(file, place, path)
        base = np.hstack([_turns(file, unit, order, path), place])
        if up == "y":
            base = upright(base)
        make_continuous(base, joints=0)
        words = f", base in {WORDS[length]} with {_turn_words(file, order)}, {up} up"
    base_words = words or ", no base"
    return Take(
        t=file.t,
        joints=file.joints,
        q=q,
        base=base,
        said=(
            f"{Path(path).name}: {file.layout}, {len(file.joints)} joints of "
            f"{robot.name} in {unit}{base_words}, {len(file.t)} samples at "
            f"{file.timing}"
        ),
        notes=(*file.notes, *(f"{Path(path).name}: {gap}" for gap in gaps(file.t))),
        format=file.format,
    )


def _turn_words(file: MotionFile, order: str) -> str:
    """How the base's orientation is written."""
    assert file.turn is not None
    if file.turn.shape[1] == 3:
        return "roll, pitch, yaw"
    return f"quaternion w {'first' if order == 'wxyz' else 'last'}"


def upright(base: np.ndarray) -> np.ndarray:
    """(n, 7) poses in a world whose y axis points up, in one whose z axis does."""
    w, x, y, z = base[:, :4].T
    c = np.sqrt(0.5)  # A quarter turn about x: y becomes z, z becomes -y.
    turned = c * np.stack([w - x, x + w, y - z, z + y], axis=1)
    return np.hstack([turned, base[:, [4]], -base[:, [6]], base[:, [5]]])


def _unit(file: MotionFile, robot: RobotModel, path: str | Path) -> str:
    """The unit of angles, from the format or the joints' ranges."""
    fits = [u for u in UNITS if _fits(file, robot, u)]
    if file.unit:
        others = [u for u in fits if u != file.unit]
        if file.unit not in fits and others:
            with_other = f"with --unit {others[0]} ('unit: {others[0]}') they fit"
            raise BackbeatError(
                f"{path}: {_widest(file, robot, file.unit)}, and {file.format} has "
                f"{file.unit}; {with_other}"
            )
        return file.unit
    if len(fits) == 2:
        most = np.abs(file.q).max()
        raise BackbeatError(
            f"{path}: angles go to {most:.3g}, which may be radians (then "
            f"{np.degrees(most):.0f} degrees) or degrees (then {np.radians(most):.3f} "
            "rad); say --unit radians or --unit degrees ('unit' in a file)"
        )
    return fits[0] if fits else "radians"


def _fits(file: MotionFile, robot: RobotModel, unit: str) -> bool:
    """Whether angles are such that joints may have them, and not all next to none."""
    q = UNITS[unit] * file.q
    if unit == "degrees" and np.abs(q).max() < SMALL:
        return False
    return bool(_beyond(q, file, robot).max() <= FAR)


def _beyond(q: np.ndarray, file: MotionFile, robot: RobotModel) -> np.ndarray:
    """(n, joints) how far angles are beyond the ranges of joints [rad]."""
    index = [robot.joint_index(n) for n in file.joints]
    lower, upper = robot.position_lower[index], robot.position_upper[index]
    return np.maximum(lower - q, q - upper)


def _widest(file: MotionFile, robot: RobotModel, unit: str) -> str:
    """The angle that is farthest out of range, in words."""
    scale = UNITS[unit]
    beyond = _beyond(scale * file.q, file, robot)
    row, column = np.unravel_index(int(beyond.argmax()), beyond.shape)
    name = file.joints[column]
    j = robot.joint_index(name)
    low, high = (x[j] / scale for x in (robot.position_lower, robot.position_upper))
    return (
        f"{name} is {file.q[row, column]:.4g} {unit}, and it goes from {low:.3g} to "
        f"{high:.3g}"
    )


def _check_ranges(
    file: MotionFile, robot: RobotModel, unit: str, path: str | Path
) -> None:
    """Refuses angles [rad] that no joint comes near."""
    q, scale = file.q, UNITS[unit]
    most = np.abs(q).max()
    if unit == "degrees" and 0 < most < SMALL:
        raise BackbeatError(
            f"{path}: no angle is beyond {np.degrees(most):.2g} degrees; are these "
            "radians?"
        )
    beyond = _beyond(q, file, robot)
    column = int(beyond.max(axis=0).argmax())
    far = np.flatnonzero(beyond[:, column] > FAR)
    if not len(far):
        return
    row = int(far[0])
    name = file.joints[column]
    j = robot.joint_index(name)
    low, high = (x[j] / scale for x in (robot.position_lower, robot.position_upper))
    asked = "are these degrees?" if unit == "radians" else "check the unit"
    raise BackbeatError(
        f"{file.at(path, row)}: {name} is {q[row, column] / scale:.4g} {unit}, and it "
        f"goes from {low:.3g} to {high:.3g}; {asked}"
    )


def _length_and_up(
    file: MotionFile, robot: RobotModel, told: Conventions, path: str | Path
) -> tuple[str, str]:
    """Unit of length and the axis that points up, by the height of the base."""
    assert file.place is not None
    stand = standing_height(robot)
    usual = (told.length or file.length or "m", told.up or file.up or "z")
    if stand is None or (told.length and told.up):
        return usual
    lengths = (told.length,) if told.length else tuple(LENGTHS)
    ups = (told.up,) if told.up else UPS
    median = {"z": np.median(file.place[:, 2]), "y": np.median(file.place[:, 1])}

    def height(length: str, up: str) -> float:
        return float(LENGTHS[length] * median[up])

    def fits(length: str, up: str) -> bool:
        return bool(LOWEST * stand <= height(length, up) <= HIGHEST * stand)

    if fits(*usual):
        return usual
    others = [(a, b) for a in lengths for b in ups if (a, b) != usual and fits(a, b)]
    said = (
        f"in {usual[0]} with {usual[1]} up the base is {height(*usual):.3g} m high "
        f"most of the time, and {robot.name} stands with it at {stand:.2f} m"
    )
    if len(others) == 1 and not file.length:
        return others[0]
    if not others:
        asked = "check the unit of length and the axis that points up"
    else:
        readings = " or ".join(
            f"--length {a} --up {b} ({height(a, b):.2f} m)" for a, b in others
        )
        asked = f"say {readings}, or the same keys in a file"
    raise BackbeatError(f"{path}: {said}; {asked}")


def standing_height(robot: RobotModel) -> float | None:
    """Height of the base when the robot stands [m]; None if it never does."""
    names = list(robot.posture_names)
    if not names or not robot.base_positions:
        return None
    return float(robot.posture("stand" if "stand" in names else names[0])[6])


def _check_places(file: MotionFile, place: np.ndarray, path: str | Path) -> None:
    far = np.flatnonzero(np.abs(place).max(axis=1) > DISTANT)
    if len(far):
        raise BackbeatError(
            f"{file.at(path, far[0])}: the base is {np.abs(place[far[0]]).max():g} m "
            "away"
        )


def _turns(file: MotionFile, unit: str, order: str, path: str | Path) -> np.ndarray:
    """(n, 4) unit quaternions, w first."""
    assert file.turn is not None
    if file.turn.shape[1] == 3:
        angles = UNITS[unit] * file.turn
        return np.array([RollPitchYaw(a).ToQuaternion().wxyz() for a in angles])
    w = file.turn if order == "wxyz" else np.roll(file.turn, 1, axis=1)
    length = np.linalg.norm(np.clip(w, -DISTANT, DISTANT), axis=1)
    wrong = np.flatnonzero(np.abs(length - 1) > ROUGH)
    if len(wrong):
        raise BackbeatError(
            f"{file.at(path, wrong[0])}: the base's quaternion has length "
            f"{length[wrong[0]]:.3g}; it should be 1"
        )
    return np.asarray(w / length[:, None])
