"""The dance: big enough to be one, and on the beat."""

import numpy as np
import pytest

from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER, read_specification
from tests.behaviors.drake_robot import DrakeRobot

BEAT = 60.0 / 98.0


@pytest.fixture(scope="module")
def groove(built):
    return built("groove")


@pytest.fixture(scope="module")
def moves():
    specification, _ = read_specification(SHIPPED_FOLDER / "groove.yaml")
    return {track: list(moves) for track, moves in specification.tracks.items()}


def extremes(groove, axis, sign, first, last):
    """Beats at which the center of mass turns around, lowest for sign -1."""
    beats, height = groove.motion.t / BEAT, sign * groove.com[:, axis]
    inside = np.flatnonzero((beats > first) & (beats < last))
    inside = inside[(inside > 0) & (inside < len(beats) - 1)]
    turns = [
        i for i in inside if height[i] > height[i - 1] and height[i] >= height[i + 1]
    ]
    return beats[turns]


def test_it_is_long_enough(groove):
    assert groove.duration >= 20.0
    assert groove.bpm == 98.0


def test_the_center_of_mass_travels(groove):
    """By Drake: at least 12 cm sideways and 12 cm up and down."""
    drake, motion, places = DrakeRobot(groove.robot_model), groove.motion, []
    for q, v in zip(motion.q, motion.v, strict=True):
        drake.set(q, v)
        places.append(drake.center_of_mass())
    travel = np.ptp(places, axis=0)
    assert travel[1] >= 0.12
    assert travel[2] >= 0.12
    np.testing.assert_allclose(places, groove.com, atol=1e-9)


def test_an_arm_joint_swings_a_radian(groove):
    robot, motion = groove.robot_model, groove.motion
    arms = robot.joint_indices(["l_arm", "r_arm"])
    swing = np.ptp(motion.q[:, robot.base_positions + arms], axis=0)
    assert swing.max() >= 1.0


def test_some_joint_works(groove):
    """At least four tenths of what it can, in torque or in speed."""
    robot, motion = groove.robot_model, groove.motion
    torque = np.abs(motion.tau) / robot.effort_limits
    speed = np.abs(motion.v[:, robot.base_velocities :]) / robot.velocity_limits
    assert max(torque.max(), speed.max()) >= 0.4
    assert torque.max() <= 0.9
    assert speed.max() <= 0.75


def test_moves_start_and_end_on_beats(groove, moves):
    listed = [e for e in groove.events if e.kind == "segment"]
    segments = {(e.time, e.what, e.who): e for e in listed}
    assert len(segments) == sum(map(len, moves.values()))
    for track, rows in moves.items():
        for move in rows:
            assert float(move.at).is_integer()
            event = segments[(move.at * 60 / 98, move.move, track)]
            end = (event.time + event.duration) / BEAT
            assert end == pytest.approx(move.at + move.beats)


def test_bounces_are_lowest_between_the_beats_and_highest_on_them(groove):
    """Small bounces, one a beat, from beat 3 to 9 and from 19 to 25."""
    for first, last in ((3.2, 8.8), (19.2, 24.8)):
        lows = extremes(groove, 2, -1, first, last)
        highs = extremes(groove, 2, 1, first, last)
        assert len(lows) >= 5
        # 0.08 beats are 49 ms: other moves begin and end meanwhile.
        np.testing.assert_allclose(lows % 1, 0.5, atol=0.08)
        np.testing.assert_allclose((highs + 0.5) % 1, 0.5, atol=0.08)


def test_deep_bounces_are_lowest_on_every_second_beat(groove):
    for first, last in ((11.8, 17.2), (27.8, 33.2)):
        lows = extremes(groove, 2, -1, first, last)
        np.testing.assert_allclose(lows, np.round(lows), atol=0.07)
        assert (np.round(lows) % 2 == 1).all()
        assert len(lows) == 3


def test_the_weight_shifts_on_the_beat(groove):
    """The slow sway turns at its quarter cycles, which are beats."""
    for first, last in ((4.0, 8.0), (20.0, 24.0)):
        turns = np.r_[
            extremes(groove, 1, 1, first, last), extremes(groove, 1, -1, first, last)
        ]
        assert len(turns) == 2
        np.testing.assert_allclose(turns, np.round(turns), atol=0.1)


def test_the_feet_stay(groove):
    motion = groove.motion
    assert motion.standing.all()
    assert np.ptp(motion.p_WC, axis=0).max() == 0.0
