import numpy as np
import pytest

from backbeat.models.state.configuration import Configuration
from backbeat.stage.frames.frame import frame_times
from backbeat.stage.sources.kinds import PlannedSource, SimulatedSource
from backbeat.stage.sources.measured_motion import measured_forces
from tests.backbeat.performances import BPM, drumming, run_of, swaying
from tests.tolerances import EXACT


@pytest.fixture(scope="module")
def drums():
    return drumming(duration=2.0)


@pytest.fixture(scope="module")
def sway():
    return swaying(duration=2.0)


def test_a_planned_moment_between_samples_lies_between_them(sway):
    motion, take = sway.motion, PlannedSource(sway)
    q = take.frame_at(0.5 * (motion.t[40] + motion.t[41])).state.q
    np.testing.assert_allclose(q, 0.5 * (motion.q[40] + motion.q[41]), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(q[:4]), 1.0, rtol=EXACT)


def test_planned_forces_carry_the_weight_at_the_feet(sway):
    frame = PlannedSource(sway).frame_at(0.7)
    total = sum(contact.force for contact in frame.forces.values())
    np.testing.assert_allclose(total, [0, 0, sway.robot_model.weight], atol=1e-9)
    for name, contact in frame.forces.items():
        foot = frame.state.pose(name).translation()
        np.testing.assert_allclose(contact.point, foot, atol=1e-9)
    assert set(frame.standing) == {"l_foot", "r_foot"}


def test_outside_of_its_time_a_plan_stands_still(sway):
    take = PlannedSource(sway)
    before = take.frame_at(-3.0).state.q.copy()
    np.testing.assert_allclose(before, sway.motion.q[0])
    np.testing.assert_allclose(take.frame_at(99.0).state.q, sway.motion.q[-1])


def test_predicted_path_of_a_plan_is_its_own_future(sway):
    frame = PlannedSource(sway).frame_at(0.2)
    last = np.searchsorted(sway.motion.t, 0.2 + 1.2)
    np.testing.assert_allclose(frame.prediction.com[-1], sway.com[last], atol=1e-3)


def test_a_strike_flashes_and_fades(drums):
    take, strike = PlannedSource(drums), drums.strikes()[0]
    before = take.frame_at(strike.time - 1e-3).flashes.get(strike.what, 0.0)
    at, later = (
        take.frame_at(strike.time + s).flashes[strike.what] for s in (0.0, 0.1)
    )
    assert before < later < at <= 1.0


def test_frames_meet_every_strike_and_keep_the_rate(drums):
    take = PlannedSource(drums)
    times = frame_times(take, 30.0)
    for k in range(1, 6):
        assert np.abs(times - k * 30.0 / BPM).min() < 1e-9
    assert np.diff(times).max() <= 1 / 30.0 + 1e-9
    assert (times[0], times[-1]) == (take.start, take.end)


def test_measured_force_acts_at_its_center_of_pressure(sway):
    robot = sway.robot_model
    state = Configuration(robot, sway.motion.q[0])
    point = state.pose("l_foot").translation() + [0.03, -0.02, 0.0]
    force = np.array([20.0, -10.0, 800.0])
    wrench = np.r_[np.cross(point, force), force]
    (contact,) = measured_forces(state, ["l_foot"], wrench[None]).values()
    np.testing.assert_allclose(contact.point, point, atol=1e-9)
    assert not measured_forces(state, ["l_foot"], np.zeros((1, 6)))


def test_a_run_shows_the_robot_where_it_was_and_the_ghost_where_it_should_be(sway):
    run = run_of(sway)
    frame = SimulatedSource(run).frame_at(1.0)
    np.testing.assert_allclose(frame.ghost, PlannedSource(sway).frame_at(1.0).state.q)
    late = PlannedSource(sway).frame_at(0.9).state.q
    np.testing.assert_allclose(frame.state.q, late, atol=0.03)
    assert set(frame.standing) == {"l_foot", "r_foot"}
    np.testing.assert_allclose(frame.prediction.com[-1], sway.com[0])


def test_a_fall_is_said_from_then_on(sway):
    assert SimulatedSource(run_of(sway)).remarks == ()
    ((time, text),) = SimulatedSource(run_of(sway, fell_at=1.2)).remarks
    assert time == 1.2
    assert "fallen" in text


def test_a_run_whose_numbers_explode_ends_before_that(sway):
    run = run_of(sway, fell_at=1.5)
    run.x[170:, 20] = np.nan
    take = SimulatedSource(run)
    assert take.end == run.t[169]
    assert np.isfinite(take.frame_at(take.end).state.q).all()


def test_no_flash_of_a_run_is_taken_from_the_plan(drums):
    take = SimulatedSource(run_of(drums))
    strike = drums.strikes()[0]
    assert not take.frame_at(strike.time + 0.01).flashes
