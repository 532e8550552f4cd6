"""Motion files of other tools: arrays, tables without names, JSON, OpenSim."""

import io
import json
import struct
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.posture.stance import start_configuration
from backbeat.behaviors.recording.feasibility import examine
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.takes.joint_orders import body_names, breadth_first
from backbeat.models.robot.model import RobotModel
from tests.fuzz.noise import HOSTILE, damaged
from tests.fuzz.reader import Reader

SAMPLES = 12


@cache
def _atlas() -> RobotModel:
    return make_robot("atlas", (), Mount())


def read_any_take(path: Path) -> None:
    """Reads a take, and asserts what is true of every one."""
    take = read_take(path, _atlas())
    assert np.isfinite(take.q).all()
    assert (np.diff(take.t) > 0).all()
    assert take.q.shape == (len(take.t), len(take.joints))
    assert "\n" not in take.said
    if take.base is not None:
        length = np.linalg.norm(take.base[:, :4], axis=1)
        assert np.abs(length - 1.0).max() < 1e-10


def judge_take(path: Path) -> None:
    """Reads a take and measures it."""
    take = read_take(path, _atlas())
    if take.base is not None:
        assert 0.0 <= examine(take, _atlas(), "take").off_balance <= 1.0


def _packed(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@cache
def still() -> np.ndarray:
    """(n, nq) Atlas standing still."""
    return np.tile(start_configuration(_atlas(), "stand"), (SAMPLES, 1))


def bodies(**changed: np.ndarray) -> bytes:
    """Joints and bodies as trainers have them, with arrays changed."""
    q, n = still(), len(body_names(_atlas()))
    arrays = {
        "fps": np.array([30]),
        "joint_pos": q[:, 7:][:, breadth_first(_atlas())],
        "body_pos_w": np.tile(q[:, None, 4:7], (1, n, 1)),
        "body_quat_w": np.tile(q[:, None, :4], (1, n, 1)),
        "joint_names": np.array(
            [_atlas().joint_names[j] for j in breadth_first(_atlas())]
        ),
    }
    return _packed(**arrays | changed)


def configurations(**changed: np.ndarray) -> bytes:
    """Configurations of holosoma, with arrays changed."""
    q = still()
    qpos = np.hstack([q[:, 4:7], q[:, :4], q[:, 7:]])
    return _packed(**{"qpos": qpos, "fps": np.array(30.0)} | changed)


def columns(**changed: np.ndarray) -> bytes:
    """An array for each column."""
    arrays = {"t": np.arange(SAMPLES) / 30.0}
    arrays |= {
        f"q.{n}": c for n, c in zip(_atlas().joint_names, still()[:, 7:].T, strict=True)
    }
    return _packed(**arrays | changed)


def table(rows: int = SAMPLES, cell: str = "") -> bytes:
    """CSV without names."""
    q = still()[0]
    row = [*q[4:7], *q[1:4], q[0], *q[7:]]
    line = ",".join(f"{x:.6g}" for x in row)
    return (f"{line}\n" * rows + cell).encode()


def frames() -> bytes:
    """DeepMimic's text of a robot."""
    rows = np.hstack([np.full((SAMPLES, 1), 0.03), still()[:, [4, 5, 6, 0, 1, 2, 3]]])
    return json.dumps(
        {"Loop": "wrap", "Frames": np.hstack([rows, still()[:, 7:]]).tolist()}
    ).encode()


def persons() -> bytes:
    """DeepMimic's text of its person."""
    turn = [1.0, 0.0, 0.0, 0.0]
    leg = [*turn, 0.0, *turn]
    row = [0.03, 0.0, 0.83, 0.0, *3 * turn, *leg, *turn, 0.0, *leg, *turn, 0.0]
    return json.dumps({"Loop": "none", "Frames": [row] * 40}).encode()


OPENSIM = (
    b"take\nversion=1\ninDegrees=yes\nendheader\ntime\tneck_ay\tl_arm_elx\tpelvis_tx\n"
    + b"".join(b"%.2f\t%d\t%d\t0\n" % (0.1 * k, 4 * k, 5 * k) for k in range(8))
)


def _header(shape: str, kind: str = "<f8") -> bytes:
    """The beginning of an array that says it is of some shape."""
    text = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (63 - (len(text) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def _zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def npz_inputs() -> Iterator[tuple[str, bytes]]:
    """Arrays that are too much, of objects, or not what they say."""
    yield "a bomb", _zipped({"qpos.npy": _header("(40, 4000000)") + bytes(10**9)})
    yield (
        "a bomb within bounds",
        _zipped({"qpos.npy": _header("(400000, 37)") + bytes(8 * 37 * 400_000)}),
    )
    yield "a large shape", _zipped({"qpos.npy": _header("(99999999999, 37)")})
    yield "a negative shape", _zipped({"qpos.npy": _header("(-1, 37)")})
    yield "a huge product", _zipped({"qpos.npy": _header("(9223372036854775807, 9)")})
    yield "cut short", _zipped({"qpos.npy": _header("(12, 37)") + bytes(100)})
    yield "objects", _zipped({"qpos.npy": _header("(12, 37)", "|O") + b"cos\nsystem\n"})
    yield "no array", _zipped({"qpos.npy": b"x" * 100})
    yield "a long text", _zipped({"qpos.npy": _header("(1, 1)", "<U99999999")})
    yield "structures", _packed(qpos=np.zeros(4, "f8,f8"), fps=np.array(30))
    yield "many arrays", _zipped({f"a{k}.npy": b"" for k in range(5000)})
    yield "bytes that are no archive", b"PK\x03\x04" + bytes(1000)
    yield "samples without end", configurations(qpos=np.zeros((400_000, 37)))
    yield "a rate of none", configurations(fps=np.array(0.0))
    yield "a rate that is no number", configurations(fps=np.array(np.nan))
    yield "a rate in words", configurations(fps=np.array("fast"))
    yield "rates", configurations(fps=np.arange(5.0))
    yield "no numbers", configurations(qpos=np.full((12, 37), np.nan))
    yield "beyond all", configurations(qpos=np.full((12, 37), 1e308))
    yield "of nobody", configurations(qpos=np.zeros((12, 36)))
    yield "quaternions of zeros", configurations(qpos=np.zeros((12, 37)))
    yield "complex numbers", configurations(qpos=np.zeros((12, 37), complex))
    yield "a flat array", configurations(qpos=np.zeros(37))
    yield "no samples", configurations(qpos=np.zeros((0, 37)))
    yield "names of nobody", bodies(joint_names=np.array(["a"] * 30))
    yield "few names", bodies(joint_names=np.array(["neck_ay"]))
    yield "one body", bodies(body_pos_w=np.zeros((SAMPLES, 1, 3)))
    yield "no body", bodies(body_pos_w=np.zeros((SAMPLES, 0, 3)))
    yield "bodies far away", bodies(body_pos_w=np.full((SAMPLES, 31, 3), 1e300))
    yield "bodies in words", bodies(body_quat_w=np.full((SAMPLES, 31, 4), "w"))
    yield "columns of other lengths", columns(**{"q.neck_ay": np.zeros(3)})
    yield "time that stands still", columns(t=np.zeros(SAMPLES))
    yield "a time of nothing", columns(t=np.zeros(0))


def table_inputs() -> Iterator[tuple[str, bytes]]:
    """Tables without names that are too much, or of nobody."""
    yield "many lines", table(300_000)
    yield "columns without end", b"1," * 2_000_000 + b"1\n"
    yield "a wide table", (b"1," * 5000 + b"1\n") * 200
    yield "another robot", (b"0.1," * 35 + b"0.1\n") * 40
    yield "text in it", table(40, "a,b,c\n")
    yield "no numbers", (b"nan," * 36 + b"nan\n") * 40
    yield "a number first", b"1,2,3\n"


def frames_inputs() -> Iterator[tuple[str, bytes]]:
    """JSON that is deep, long, or no motion."""
    yield "deep", b'{"Frames": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    yield "many frames", b'{"Frames": [' + b"[1,2,3]," * 800_000 + b"[1,2,3]]}"
    yield "a person", json.dumps({"Frames": [[0.03] + [0.0] * 43] * 9}).encode()
    yield "words", json.dumps({"Frames": [["a"] * 38] * 9}).encode()
    yield "truths", json.dumps({"Frames": [[True] * 38] * 9}).encode()
    yield "large numbers", b'{"Frames": [[' + b"9" * 3000 + b"]]}"
    yield "no numbers", b'{"Frames": [' + b"[NaN, 1]," * 10 + b"[NaN, 1]]}"
    yield "no frames", b'{"Frames": []}'
    yield "a list", b"[1, 2, 3]"


def opensim_inputs() -> Iterator[tuple[str, bytes]]:
    """Tables of OpenSim that are too much."""
    yield "an endless header", b"a=b\n" * 2_000_000 + b"endheader\ntime\tneck_ay\n"
    yield "no table", b"inDegrees=yes\nendheader\n"
    yield "columns", b"endheader\n" + b"\t".join(b"c%d" % k for k in range(100_000))
    yield "spaces", OPENSIM + b" " * 2_000_000
    yield "a wrong unit", OPENSIM.replace(b"=yes", b"=perhaps")


INPUTS = {
    "take.npz": npz_inputs,
    "g1.csv": table_inputs,
    "take.json": frames_inputs,
    "take.mot": opensim_inputs,
}
READERS = (
    Reader(
        "arrays of a motion",
        read_any_take,
        damaged(bodies(), configurations(), columns()),
        "take.npz",
        HOSTILE | dict(npz_inputs()),
        count=60,
    ),
    Reader(
        "table without names",
        read_any_take,
        damaged(table()),
        "g1.csv",
        HOSTILE | dict(table_inputs()),
        count=60,
    ),
    Reader(
        "frames of DeepMimic",
        read_any_take,
        st.one_of(
            damaged(frames(), persons()), st.binary(max_size=40).map(lambda b: b"{" + b)
        ),
        "take.json",
        HOSTILE | dict(frames_inputs()),
        count=40,
    ),
    Reader(
        "table of OpenSim",
        read_any_take,
        damaged(OPENSIM),
        "take.mot",
        HOSTILE | dict(opensim_inputs()),
        count=40,
    ),
)
