import numpy as np
import pandas as pd
import pytest

from backbeat.behaviors.drumming.elbows import find_elbows
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from backbeat.models.state.names import position_names, velocity_names
from backbeat.mpc.analysis.drumming.performance import (
    PARTS,
    drummer_motion,
    find_holds,
    likeness,
    strokes,
)


@pytest.fixture(scope="module")
def robot():
    return make_robot("atlas", ("sticks",), Mount())


def table_of(robot, t, q, v):
    names = position_names(robot) + velocity_names(robot)
    frame = pd.DataFrame(np.hstack([q, v]), columns=names)
    frame.insert(0, "t", t)
    return frame


@pytest.fixture(scope="module")
def performance(robot):
    """The left wrist drums from 2 to 5 s, the torso turns before, all rest after.

    The left tip goes up and down as |sin|, twice a second, with a cusp at each hit.
    """
    t = np.arange(-0.5, 8.0, 0.005)
    q = np.tile(robot.posture("drum-ready"), (len(t), 1))
    v = np.zeros((len(t), robot.num_velocities))
    wrist = robot.joint_index("l_arm_uwy")
    plays = (t >= 2.0) & (t < 5.0)
    angle = np.where(plays, -0.4 * np.abs(np.sin(2 * np.pi * (t - 2.0))), 0.0)
    q[:, 7 + wrist] += angle
    v[:, 6 + wrist] = np.gradient(angle, t)
    turn = robot.joint_index("back_bkz")
    dance = np.where(t < 1.5, 0.02 * np.sin(2 * np.pi * t / 1.5), 0.0)
    q[:, 7 + turn] += dance
    hits = [
        {
            "time": 2.0 + 0.5 * k,
            "member": "snare",
            "tip": "l_stick_tip",
            "made": True,
            "error": 1e-3,
            "speed": 1.2,
        }
        for k in range(1, 6)
    ]
    rest = {"time": 5.2, "duration": 2.5, "tip": "l_stick_tip", "mean_N": 9.0}
    story = {"hits": hits, "metrics": {"rests": [rest]}, "behavior": "made up"}
    return table_of(robot, t, q, v), story


def test_tips_are_where_kinematics_has_them(robot, performance):
    frame, _ = performance
    motion = drummer_motion(frame)
    assert motion.t[0] == pytest.approx(0.0, abs=1e-9)
    state = Configuration(robot, motion.q[700])
    p = state.pose("l_stick_tip").translation()
    np.testing.assert_allclose(motion.tips[700, 0], p)


def test_holds_are_found_in_the_motion(performance):
    frame, story = performance
    holds = find_holds(drummer_motion(frame), story)
    assert len(holds) == 1 or holds["start"].is_monotonic_increasing
    last = holds.iloc[-1]
    assert last["start"] == pytest.approx(5.0, abs=0.1)
    assert last["end"] == pytest.approx(8.0, abs=0.1)
    assert last["left"] == 9.0
    assert np.isnan(last["right"])
    assert not holds["start"].between(2.1, 4.9).any()


def test_a_stroke_of_the_wrist_is_the_wrists(performance):
    frame, story = performance
    motion = drummer_motion(frame)
    made = strokes(motion, story)
    assert list(made["hand"]) == ["left"] * 5
    np.testing.assert_allclose(made["wrist"], 1.0, atol=1e-9)
    np.testing.assert_allclose(made[list(PARTS)].sum(axis=1), 1.0)
    # The tip's way up between two hits, from the motion itself.
    z = motion.tips[:, 0, 2]
    inside = (motion.t > 2.5) & (motion.t < 3.0)
    rise = z[inside].max() - z[np.searchsorted(motion.t, 2.5)]
    np.testing.assert_allclose(made["height"].iloc[1:], rise, atol=0.005)
    assert rise > 0.02


def test_the_table_puts_people_beside_the_robot(performance):
    frame, story = performance
    made = strokes(drummer_motion(frame), story)
    mirrored = made.assign(hand="right", height=0.5 * made["height"])
    motion = drummer_motion(frame)
    elbows = find_elbows(motion.robot, motion.t, motion.q)
    table = likeness(pd.concat([made, mirrored]), elbows).set_index("measure")
    assert table.loc["tip speed", "left"] == pytest.approx(1.2)
    assert table.loc["timing, mean", "right"] == pytest.approx(1.0)
    assert table.loc["timing, SD", "left"] == pytest.approx(0.0, abs=1e-9)
    assert table.loc["strokes", "left"] == pytest.approx(2.0, abs=0.01)
    assert table.loc["symmetry of stroke height", "left"] == pytest.approx(50.0)
    # It only waves a wrist: its elbows hang where those of the posture do.
    state = Configuration(motion.robot, motion.robot.posture("drum-ready"))
    for hand in ("left", "right"):
        links = (f"{hand[0]}_scap", f"{hand[0]}_larm")
        high, low = (state.pose(link).translation()[2] for link in links)
        assert table.loc["elbow below its shoulder", hand] == 100.0
        least = table.loc["elbow below its shoulder, least", hand]
        assert least == pytest.approx(1e3 * (high - low), abs=20.0)
    for lonely in (made, mirrored):
        one = likeness(lonely, elbows).set_index("measure")
        assert np.isnan(one.loc["symmetry of stroke height", "left"])
    # Whatever is said of people has a source, and what has none says so.
    for _, row in table.iterrows():
        assert bool(row["source"]) == (row["people"] != "no figure found")


def test_a_table_of_something_else_is_refused(performance):
    frame, _ = performance
    with pytest.raises(BackbeatError, match=r"l_arm_elx"):
        drummer_motion(frame.drop(columns="q.l_arm_elx"))
    with pytest.raises(BackbeatError, match="moment"):
        drummer_motion(frame.iloc[:5])
