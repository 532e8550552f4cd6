"""Joint files: what is read is what was written, and all else is one sentence."""

import numpy as np
import pandas as pd
import pytest
from pydrake.math import RollPitchYaw

from backbeat.behaviors.library.table import to_frame
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.takes.take import Conventions
from backbeat.behaviors.takes.writers.text import joint_table
from backbeat.models.common.bounds import BYTES
from backbeat.models.common.errors import BackbeatError
from tests.behaviors.recordings import write
from tests.tolerances import RECURSION

HEAD = "t,l_arm_elx,neck_ay\n"
ROWS = [f"{0.1 * k:.1f},{0.05 * k:.2f},0" for k in range(8)]


@pytest.fixture
def read(robot, tmp_path):
    def call(text, unit="radians", **options):
        path = tmp_path / "take.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_take(path, robot, Conventions(unit=unit, **options))

    return call


def text(rows, head=HEAD):
    return head + "\n".join(rows) + "\n"


def changed(row, new):
    return text([*ROWS[:row], new, *ROWS[row + 1 :]])


def test_columns_by_name_in_any_order_and_unit(read):
    found = read(text(ROWS))
    assert found.joints == ("l_arm_elx", "neck_ay")
    np.testing.assert_allclose(found.q[:, 0], 0.05 * np.arange(8))
    frame = pd.DataFrame({"neck_ay": np.full(6, 10.0), "time": np.arange(6) / 5})
    found = read("﻿" + frame.to_csv(index=False) + "\r\n\n", "degrees")
    np.testing.assert_allclose(found.q[:, 0], np.radians(10.0))
    assert found.base is None


def test_a_base_by_quaternion_or_angles(read):
    angles = np.array([0.1, -0.2, 3.0])
    w = RollPitchYaw(angles).ToQuaternion().wxyz()
    t = np.arange(5) / 10
    place = {"base.x": 1.0, "base.y": 2.0, "base.z": 0.9}
    turned = dict(zip(("base.roll", "base.pitch", "base.yaw"), angles, strict=True))
    quaternion = {f"base.q{n}": x for n, x in zip("wxyz", w, strict=True)}
    for columns in (turned, quaternion):
        frame = pd.DataFrame({"t": t, "neck_ay": 0.1, **place, **columns})
        base = read(frame.to_csv(index=False)).base
        np.testing.assert_allclose(base[:, :4], np.tile(w, (5, 1)), atol=RECURSION)
        np.testing.assert_allclose(base[:, 4:], [[1.0, 2.0, 0.9]] * 5)


def test_what_we_export_reads_back(built, read, tmp_path, robot):
    behavior = built("quarter-turn")
    frame = joint_table(to_frame(behavior), with_base=True)
    found = read_take(
        write(frame, tmp_path / "b.csv"), robot, Conventions(unit="radians")
    )
    motion = behavior.motion
    once = np.r_[True, np.diff(motion.t) > 0]
    assert found.joints == robot.joint_names
    np.testing.assert_allclose(found.t, motion.t[once], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.q, motion.q[once, 7:], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.base, motion.q[once, :7], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    ("given_text", "sentence"),
    [
        (
            text(ROWS, "t,l_arm_elbow,neck_ay\n"),
            r"csv:1: 'l_arm_elbow'; did you mean l",
        ),
        (text(ROWS, "t,neck_ay,neck_ay\n"), "csv:1: the column 'neck_ay' is there twi"),
        (text(ROWS, "t,q.neck_ay,neck_ay\n"), "csv:1: two columns are of neck_ay"),
        (text(ROWS, "t,,neck_ay\n"), "csv:1: a column has no name"),
        (text(ROWS, "when,l_arm_elx,neck_ay\n"), "column of time in seconds"),
        (text(ROWS, "t,time,neck_ay\n"), "column of time in seconds.* there are 2"),
        (text(ROWS).replace(",", ";"), "csv:1: separate the columns with commas"),
        (text(ROWS, "t,base.x,neck_ay\n"), "csv:1: a floating base has the columns"),
        (changed(2, "0.2,nan,0"), "csv:4: l_arm_elx is nan"),
        (changed(2, "0.2,0.1,-inf"), "csv:4: neck_ay is -inf"),
        (changed(2, "0.2,high,0"), "csv:4: l_arm_elx: 'high' is no number"),
        (changed(2, "0.2,,0"), "csv:4: l_arm_elx: a number is missing"),
        (changed(2, "0.2,,low"), "csv:4: l_arm_elx: a number is missing"),
        (changed(2, "0.2,0,low").replace("0.5,", "?,"), "csv:4: neck_ay: 'low'"),
        (changed(2, '0.2,0.1,0,"a\nb"'), "csv:4: 4 values for 3 columns"),
        (
            changed(2, "0.2,\xe9,\xe9").encode("latin-1"),
            "csv:4: l_arm_elx: '\ufffd' is",
        ),
        (changed(2, "0.2,0.1"), "csv:4: 2 values for 3 columns"),
        (changed(2, ""), "csv:4"),
        (changed(3, "0.2,0.1,0"), r"csv:5: time goes from 0\.2 to 0\.2 s"),
        (changed(3, "0.1,0.1,0"), r"csv:5: time goes from 0\.2 to 0\.1 s"),
        (changed(4, "0.4,85,0"), "csv:6: l_arm_elx is 85 radians.*are these degrees"),
        (text(ROWS[:3]), "3 samples are too few"),
        (text([f"{k / 1000},0.1,0" for k in range(9)]), r"lasts 0\.008 s"),
        (text([f"{10 * k},0.1,0" for k in range(9)]), "is time in milliseconds"),
        (text([f"{1e12 + k},0.1,0" for k in range(9)]), "seconds from the start"),
        (text([]), "csv"),
        ("", "csv:1: a line with the names"),
        (b"t,\xff\n1,2\n", "csv:1: the names of columns are not text"),
        ("t\n1\n2\n3\n4\n", "no column is a joint of atlas"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(read, given_text, sentence):
    with pytest.raises(BackbeatError, match=sentence) as error:
        read(given_text)
    assert "\n" not in str(error.value)


def test_units_are_those_that_joints_can_have(read):
    np.testing.assert_allclose(read(text(ROWS), "").q, read(text(ROWS)).q)
    degrees = text([f"{0.1 * k:.1f},{8 * k},0" for k in range(8)])
    np.testing.assert_allclose(read(degrees, "").q[:, 0], np.radians(8 * np.arange(8)))
    with pytest.raises(
        BackbeatError, match=r"3.85, which may be radians .* or degrees"
    ):
        read(text([f"{0.1 * k:.1f},{0.55 * k},0" for k in range(8)]), "")
    with pytest.raises(BackbeatError, match="radians or degrees, not 'rad'"):
        read(text(ROWS), "rad")
    with pytest.raises(BackbeatError, match="are these radians"):
        read(text(ROWS), "degrees")


def test_other_columns_are_left_out_by_name_only(read):
    given_text = text([f"{row},word" for row in ROWS], "t,l_arm_elx,neck_ay,frame\n")
    with pytest.raises(BackbeatError, match="name it under 'ignore'"):
        read(given_text)
    assert read(given_text, ignore=["frame"]).joints == ("l_arm_elx", "neck_ay")
    with pytest.raises(BackbeatError, match="column to ignore"):
        read(given_text, ignore=["frames"])


def test_what_is_no_file_or_too_large(read, robot, tmp_path, monkeypatch):
    with pytest.raises(BackbeatError, match="there is no recording"):
        read_take(tmp_path / "none.csv", robot, Conventions(unit="radians"))
    with pytest.raises(BackbeatError, match="Is a directory"):
        read_take(tmp_path, robot, Conventions(unit="radians"))
    monkeypatch.setitem(BYTES, "CSV", 50)
    with pytest.raises(BackbeatError, match="MB"):
        read(text(ROWS))
