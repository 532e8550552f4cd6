"""Human skeletons from outside: BVH files, and maps of their joints."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from backbeat.behaviors.retargeting.bvh import read_bvh
from backbeat.behaviors.retargeting.skeleton_map import FOLDER, SIDES, load_map
from backbeat.behaviors.takes.readers.human_bvh import read_human_bvh
from backbeat.behaviors.takes.take import Conventions
from backbeat.models.common.outside_file import read_bytes
from backbeat.models.robot.model import RobotModel
from tests.behaviors.skeleton_takes import Style, bvh_text
from tests.fuzz.noise import HOSTILE, HOSTILE_YAML, damaged, mostly, yaml_like
from tests.fuzz.reader import Reader

MAPS = [path.read_text() for path in sorted(FOLDER.glob("*.yaml"))]
WORDS = ("unit", "up", "toe", "LeftFoot end", "x", "0.0254", "left", "pelvis")
LINES = st.sampled_from(
    ["{", "}", "ROOT Hips", "JOINT Hips", "JOINT a {", "End Site", "OFFSET 0 0 0"]
    + ["OFFSET 1e300 0 nan", "CHANNELS 3 Xrotation Yrotation Zrotation", "CHANNELS 0"]
    + ["CHANNELS 1000000 Xposition", "MOTION", "Frames: 4", "Frames: -1", "HIERARCHY"]
    + ["Frame Time: 0.1", "Frame Time: 0", "0 0 0", "1e6 1e6 1e6", "", "\x00"]
)


@cache
def _g1() -> RobotModel:
    return RobotModel("g1")


@cache
def standing() -> bytes:
    """A person who stands and sways a little."""
    q = np.tile(_g1().posture("stand"), (14, 1))
    q[:, 7 + _g1().joint_indices(["left shoulder pitch"])] += np.linspace(0, 0.3, 14)[
        :, None
    ]
    return bvh_text(_g1(), np.arange(14) / 30, q, Style()).encode()


@st.composite
def _edited(draw: st.DrawFn) -> bytes:
    """A file with lines exchanged, left out, put in, or with other numbers."""
    lines = standing().decode().splitlines()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        what = draw(st.sampled_from(["drop", "put", "number", "twice"]))
        words = lines[at].split()
        if what == "drop" and len(lines) > 1:
            del lines[at]
        elif what == "put":
            lines.insert(at, draw(LINES))
        elif what == "twice":
            lines.insert(at, lines[at])
        elif words:
            i = draw(st.integers(0, len(words) - 1))
            words[i] = str(draw(st.floats(width=32) | st.integers(-400, 400)))
            lines[at] = " ".join(words)
    return "\n".join(lines).encode()


def _read_skeleton(path: Path) -> None:
    """A skeleton is a tree whose poses are numbers."""
    motion = read_bvh(path)
    assert all(joint.parent < i for i, joint in enumerate(motion.joints))
    assert len(set(motion.names)) == len(motion.names)
    places, turns = motion.poses(tuple(range(len(motion.joints))))
    assert np.isfinite(places).all()
    np.testing.assert_allclose(
        turns @ np.swapaxes(turns, 2, 3),
        np.broadcast_to(np.eye(3), turns.shape),
        atol=1e-9,
    )


def read_person(path: Path) -> None:
    """What a robot makes of it is within its limits."""
    robot = _g1()
    file = read_human_bvh(read_bytes(path, "take"), path, robot, Conventions())
    assert file.place is not None
    assert np.isfinite(np.hstack([file.q, file.place, file.turn])).all()
    assert (file.q >= robot.position_lower).all()
    assert (file.q <= robot.position_upper).all()
    speed = np.abs(np.diff(file.q, axis=0)) / np.diff(file.t)[:, None]
    assert (speed <= robot.velocity_limits).all()


def _read_map(path: Path) -> None:
    found = load_map(path)
    names = [*found.parts().values()]
    assert len(set(names)) == len(names) == 3 + 7 * len(SIDES)


def bvh_inputs() -> Iterator[tuple[str, bytes]]:
    """What somebody thought of."""
    text = standing().decode()
    head, _, rows = text.partition("MOTION")
    yield "a person", text.encode()
    yield "a million channels", text.replace("CHANNELS 6", "CHANNELS 1000000").encode()
    yield "a loop", text.replace("JOINT Spine2", "JOINT Hips").encode()
    yield "a billion frames", text.replace("Frames: 14", "Frames: 999999999").encode()
    yield "many frames", text.replace("Frames: 14", "Frames: 140000").encode()
    yield "no time", text.replace("Time: 0.0333333", "Time: 0.0").encode()
    deep = "JOINT j {\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n" * 100_000
    yield "deep", (head + deep).encode()
    wide = "".join(
        f"JOINT j{k} {{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}}\n"
        for k in range(50_000)
    )
    yield "wide", f"{head.rstrip()[:-1]}{wide}}}\nMOTION{rows}".encode()
    yield "a long line", (text + "0 " * 5_000_000).encode()
    yield "a long name", text.replace("Spine2", "a" * 2_000_000).encode()
    yield "many empty lines", (text + "\n" * 5_000_000).encode()
    yield "many lines", (text + "0\n" * 5_000_000).encode()
    yield "far away", text.replace("\n0.0", "\n9999999.0").encode()
    yield "a braceless end", text.replace("}\n", "").encode()


READERS = (
    Reader(
        "skeleton in BVH",
        _read_skeleton,
        mostly(_edited(), damaged(standing()), 2),
        "take.bvh",
        HOSTILE | dict(bvh_inputs()),
        count=90,
    ),
    Reader(
        "person in BVH",
        read_person,
        mostly(_edited(), damaged(standing()), 2),
        "take.bvh",
        HOSTILE | dict(bvh_inputs()),
        count=60,
    ),
    Reader(
        "map of a skeleton",
        _read_map,
        yaml_like(*MAPS, words=WORDS),
        "skeleton.yaml",
        HOSTILE_YAML,
        count=60,
    ),
)
INPUTS = {"take.bvh": bvh_inputs}
