"""The tour: every station is visited, in order and at its time."""

import numpy as np
import pytest

from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER, read_specification
from tests.behaviors.drake_robot import DrakeRobot

# How near a posture is when it is asked for among balance and smoothness [rad].
NEAR = 0.1


@pytest.fixture(scope="module")
def tour(built):
    return built("posture-tour")


@pytest.fixture(scope="module")
def stations():
    """(station, time of arrival, time of leaving)."""
    specification, _ = read_specification(SHIPPED_FOLDER / "posture-tour.yaml")
    listed, t = [], 0.0
    for station in specification.stations:
        listed.append((station, t + station.move, t + station.move + station.hold))
        t = listed[-1][2]
    return listed


def during(tour, arrive, leave):
    return (tour.motion.t >= arrive - 1e-6) & (tour.motion.t <= leave + 1e-6)


def test_the_tour_is_as_long_as_its_stations(tour, stations):
    assert tour.duration == pytest.approx(stations[-1][2])
    names = [s.posture for s, *_ in stations]
    assert {"stand", "crouch", "cruciform"} <= set(names)
    segments = [e for e in tour.events if e.kind == "segment"]
    assert [e.what for e in segments] == names
    for event, (_, arrive, leave) in zip(segments, stations, strict=True):
        assert event.time == pytest.approx(arrive)
        assert event.duration == pytest.approx(leave - arrive)


def test_postures_are_held_while_they_are_asked_for(tour, stations):
    robot, motion = tour.robot_model, tour.motion
    nq = robot.base_positions
    for station, arrive, leave in stations:
        if station.reach:
            continue
        chosen = robot.joint_indices(station.joints or robot.joint_names)
        wanted = robot.posture(station.posture)[nq + chosen]
        held = motion.q[during(tour, arrive, leave)][:, nq + chosen]
        assert np.abs(held - wanted).max() < NEAR, station.posture


def test_the_other_joints_stay_near_the_start(tour, stations):
    """Arms spread, and the legs do not go with them."""
    robot, motion = tour.robot_model, tour.motion
    (arrive, leave) = next((a, b) for s, a, b in stations if s.posture == "cruciform")
    legs = robot.base_positions + robot.joint_indices(["l_leg", "r_leg"])
    held = motion.q[during(tour, arrive, leave)][:, legs]
    assert np.abs(held - robot.posture("stand")[legs]).max() < NEAR


def test_hands_are_where_they_shall_be(tour, stations):
    """By Drake: within 2 mm of the place, from the middle of the feet."""
    drake, motion = DrakeRobot(tour.robot_model), tour.motion
    reached = 0
    for station, arrive, leave in stations:
        own = station.on(tour.robot_model, 1.0)
        for frame, place in own.reach.items():
            reached += 1
            for i in np.flatnonzero(during(tour, arrive, leave))[::10]:
                drake.set(motion.q[i], motion.v[i])
                X = drake.plant.GetFrameByName(frame).CalcPoseInWorld(drake.context)
                np.testing.assert_allclose(X.translation(), place, atol=0.002)
    assert reached == 2


def test_atlas_stands_again_at_the_end(tour):
    motion = tour.motion
    assert not motion.v[-1].any()
    assert np.abs(motion.q[-1] - motion.q[0]).max() < NEAR
