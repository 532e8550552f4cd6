"""NPZ of joint and body states, as the trainers BeyondMimic and mjlab take it.

Both have the same arrays without names. mjlab's joints and bodies are depth first,
those of BeyondMimic breadth first; the places of bodies show which, or else the ranges
of joints. Names are taken where a file has them.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from backbeat.behaviors.takes.joint_orders import (
    BEYOND,
    breadth_first,
    depth_first,
    excess,
    misplacement,
)
from backbeat.behaviors.takes.naming import ColumnNames
from backbeat.behaviors.takes.readers.archive import numbers, read_arrays
from backbeat.behaviors.takes.take import Conventions, MotionFile
from backbeat.behaviors.takes.timing import stated
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

# Orders of joints by the format that has them.
ORDERS = {"mjlab": depth_first, "beyondmimic": breadth_first}
WORDS = {"mjlab": "depth first (mjlab)", "beyondmimic": "breadth first (BeyondMimic)"}
ARRAYS = ("fps", "joint_pos", "body_pos_w", "body_quat_w", "joint_names", "body_names")
# Bodies of another model of the robot may be so far from ours [m], and those of the
# wrong order are so many times as far.
NEAR, CLEARLY = 0.05, 3.0


def read_body_npz(
    raw: bytes, path: str | Path, robot: RobotModel, told: Conventions
) -> MotionFile:
    """Reads an NPZ file of joint and body states.

    Args:
        raw: the file.
        path: names it in errors.
        robot: whose motion it is.
        told: what the user says: the format, which has the order, and the rate.

    Raises:
        BackbeatError: what is wrong with it, or both orders of joints make sense.
    """
    there = read_arrays(raw, ARRAYS, path)
    missing = [n for n in ("joint_pos", "body_pos_w", "body_quat_w") if n not in there]
    if missing:
        raise BackbeatError(f"{path}: there is no array {' and no '.join(missing)}")
    q = numbers(there["joint_pos"], 2, "joint_pos", path)
    if q.shape[1] != robot.num_joints:
        raise BackbeatError(
            f"{path}: joint_pos has {q.shape[1]} joints and {robot.name} "
            f"{robot.num_joints}; is it of another robot?"
        )
    places, turn = _bodies(there, len(q), path)
    root = _root(there, path, places.shape[1], robot)
    base = np.hstack(
        [
            numbers(turn[:, root], 2, "body_quat_w", path),
            numbers(places[:, root], 2, "body_pos_w", path),
        ]
    )
    name, order, how = _order(there, q, base, places, robot, told, path)
    fps = frame_rate(there, told, path)
    t, timing = stated(len(q), fps, told.rate, path)
    return MotionFile(
        format=name,
        layout=f"NPZ of joints and bodies, {how}",
        t=t,
        timing=timing,
        joints=tuple(robot.joint_names[j] for j in order),
        q=q,
        place=base[:, 4:],
        turn=base[:, :4],
        unit="radians",
        length="m",
        quaternion="wxyz",
        up="z",
    )


def frame_rate(
    there: Mapping[str, np.ndarray], told: Conventions, path: str | Path
) -> float:
    """What an array fps says.

    Raises:
        BackbeatError: it is no number, or is not there and no rate was given.
    """
    if told.rate is not None:
        return told.rate
    if "fps" not in there:
        raise BackbeatError(f"{path}: there is no array fps; give the rate with --rate")
    fps = there["fps"]
    if fps.size != 1 or fps.dtype.kind not in "biuf":
        raise BackbeatError(
            f"{path}: fps is {fps.dtype} of shape {fps.shape}, no number"
        )
    return float(fps.reshape(-1)[0])


def names_in(
    there: Mapping[str, np.ndarray], key: str, path: str | Path
) -> list[str] | None:
    """A list of names in a file; None if it has none.

    Raises:
        BackbeatError: they are no text.
    """
    if key not in there:
        return None
    names = there[key]
    if names.dtype.kind not in "US" or names.ndim != 1:
        raise BackbeatError(f"{path}: {key} is {names.dtype}, no list of names")
    if names.dtype.kind == "S":
        names = np.char.decode(names, "utf-8", "replace")
    return [str(n) for n in names]


def named_order(names: Sequence[str], robot: RobotModel, path: str | Path) -> list[int]:
    """The robot's joints in the order that a file names them.

    Raises:
        BackbeatError: one is not the robot's, or there twice.
    """
    spelled = ColumnNames(robot)
    order = [robot.joint_index(spelled.find(n)[0]) for n in names]
    if sorted(order) != list(range(robot.num_joints)):
        raise BackbeatError(
            f"{path}: joint_names has {len(names)} names of {len(set(order))} joints; "
            f"{robot.name} has {robot.num_joints}"
        )
    return order


def _bodies(
    there: Mapping[str, np.ndarray], n: int, path: str | Path
) -> tuple[np.ndarray, np.ndarray]:
    """(n, B, 3) places and (n, B, 4) quaternions of bodies, as they are stored."""
    places, turn = there["body_pos_w"], there["body_quat_w"]
    for name, array, width in (("body_pos_w", places, 3), ("body_quat_w", turn, 4)):
        right = array.ndim == 3 and array.shape[0] == n and array.shape[2] == width
        if not right or not array.shape[1] or array.dtype.kind not in "biuf":
            raise BackbeatError(
                f"{path}: {name} is of {array.dtype} with shape {array.shape}; "
                f"joint_pos needs ({n}, bodies, {width})"
            )
    return places, turn


def _root(
    there: Mapping[str, np.ndarray], path: str | Path, count: int, robot: RobotModel
) -> int:
    """Which body is the base: by name, or else the first one."""
    names = names_in(there, "body_names", path) or []
    if robot.base_name in names and names.index(robot.base_name) < count:
        return names.index(robot.base_name)
    return 0


def _order(
    there: Mapping[str, np.ndarray],
    q: np.ndarray,
    base: np.ndarray,
    places: np.ndarray,
    robot: RobotModel,
    told: Conventions,
    path: str | Path,
) -> tuple[str, list[int], str]:
    """Format, order of joints, and how it was found in words."""
    orders = {name: order(robot) for name, order in ORDERS.items()}
    asked = told.format if told.format in orders else ""
    names = names_in(there, "joint_names", path)
    if names is not None:
        order = named_order(names, robot, path)
        known = next((n for n, o in orders.items() if o == order), "")
        _agree(asked, known or "another order", "by its joint_names", path)
        return known or "mjlab", order, f"{WORDS.get(known, 'joints')} by names"
    seen = _by_places(q, base, places, orders, robot)
    if seen:
        _agree(asked, seen, "by the places of its bodies", path)
        return seen, orders[seen], f"{WORDS[seen]} by the places of bodies"
    if asked:
        return asked, orders[asked], f"{WORDS[asked]} as said"
    over = {name: excess(robot, _sorted(q, order)) for name, order in orders.items()}
    best, other = sorted(over, key=lambda n: over[n])
    if over[best] <= BEYOND < over[other]:
        return best, orders[best], f"{WORDS[best]} by the ranges of joints"
    raise BackbeatError(
        f"{path}: it has no names, and the order of its joints is open: depth first "
        f"(--format mjlab) they go {_over(over['mjlab'])}, breadth first (--format "
        f"beyondmimic) {_over(over['beyondmimic'])}; say which"
    )


def _agree(asked: str, found: str, how: str, path: str | Path) -> None:
    """Refuses a format that is asked for where the file shows another.

    Raises:
        BackbeatError: so it is.
    """
    if asked and asked != found:
        raise BackbeatError(
            f"{path}: --format {asked} was asked for, and {how} it is {found}; leave "
            "the format out"
        )


def _by_places(
    q: np.ndarray,
    base: np.ndarray,
    places: np.ndarray,
    orders: Mapping[str, Sequence[int]],
    robot: RobotModel,
) -> str:
    """The format in whose order bodies are where the angles put them; "" if in none."""
    if places.shape[1] != robot.num_joints + 1:
        return ""
    away = {
        name: misplacement(*_as_read(q, base, places, order, robot))
        for name, order in orders.items()
    }
    best, other = sorted(away, key=lambda n: away[n])
    near = away[best] < NEAR and CLEARLY * away[best] < away[other]
    return best if near else ""


def _over(excess: float) -> str:
    """How far angles are beyond their ranges, in words."""
    return "within range" if excess <= 0 else f"{excess:.2f} rad beyond their ranges"


def _sorted(q: np.ndarray, order: Sequence[int]) -> np.ndarray:
    """Angles in the robot's order of joints."""
    out = np.empty_like(q)
    out[:, order] = q
    return out


def _as_read(
    q: np.ndarray,
    base: np.ndarray,
    places: np.ndarray,
    order: Sequence[int],
    robot: RobotModel,
) -> tuple[RobotModel, np.ndarray, np.ndarray]:
    """Robot, configurations and places of its bodies, with an order of the file's."""
    sorted_places = np.empty_like(places)
    sorted_places[:, 0] = places[:, 0]
    sorted_places[:, np.asarray(order) + 1] = places[:, 1:]
    length = np.linalg.norm(base[:, :4], axis=1)
    unit = base[:, :4] / np.where(length > 0, length, 1.0)[:, None]
    return robot, np.hstack([unit, base[:, 4:], _sorted(q, order)]), sorted_places
