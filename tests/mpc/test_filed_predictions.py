"""What plans expected, through a run file and back."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.horizon.prediction import AHEAD, predict
from backbeat.mpc.plans.stepping import AddedStep
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.runs.predictions import (
    FORCE,
    PART,
    PLACE,
    TIME,
    FiledPredictions,
    predictions_story,
)
from tests.backbeat.performances import run_of, swaying


@pytest.fixture(scope="module")
def run():
    """A run whose plans step once with the left foot and lean on both."""
    run = run_of(swaying(0.6))
    plans = []
    for k, plan in enumerate(run.plans):
        start = plan.phases[0] + 0.2
        shift, wrench = plan.shift.copy(), plan.wrench.copy()
        shift[5:, 0] = [0.1 + 0.001 * k, -0.02]
        wrench[:, :, 5], wrench[:, 0, 1] = 0.5, 0.01
        wrench[2:5, 0] = 0.0
        steps = (AddedStep(0, start, start + 0.3),)
        plans.append(
            replace(plan, shift=shift, wrench=wrench, steps=steps, ground=0.02)
        )
    return replace(run, plans=tuple(plans))


def test_what_is_read_is_what_was_expected(run):
    reference = Reference(run.behavior)
    filed = FiledPredictions(predictions_story(run), reference.robot.patches)
    for plan in run.plans[::7]:
        then = plan.time - run.scenario.timing.lead_in
        read, expected = filed.at(then + 1e-4), predict(reference, plan)
        np.testing.assert_allclose(read.com, expected.com, atol=PLACE)
        np.testing.assert_allclose(
            read.forces[:, :, :3], expected.forces[:, :, :3], atol=PLACE
        )
        np.testing.assert_allclose(
            read.forces[:, :, 3:], expected.forces[:, :, 3:], atol=FORCE
        )
        (landing,), (there,) = read.footholds, expected.footholds
        assert landing.contact == there.contact == reference.patches[0]
        assert landing.after == pytest.approx(there.after, abs=TIME)
        np.testing.assert_allclose(landing.p_WC, there.p_WC, atol=PLACE)
        np.testing.assert_allclose(landing.R_WC, there.R_WC, atol=4 * PART)


def test_a_step_lands_where_the_plan_shifts_the_sole(run):
    plan, reference = run.plans[5], Reference(run.behavior)
    (there,) = predict(reference, plan).footholds
    sole = reference.sample(0.0).p_contact[0]
    np.testing.assert_allclose(there.p_WC - sole, [0.105, -0.02, 0.02], atol=1e-9)
    assert there.after == pytest.approx(0.5)


def test_a_foot_in_the_air_bears_nothing_and_others_push_at_their_centers(run):
    plan, reference = run.plans[5], Reference(run.behavior)
    expected = predict(reference, plan)
    assert np.isnan(expected.forces[0, 0]).all()
    last = expected.forces[-1]
    np.testing.assert_allclose(last[:, 5], 0.5 * reference.robot.weight)
    # -ty / fz along x, from where the sole will be.
    sole = reference.sample(0.0).p_contact[0] + [0.105, -0.02, 0.02]
    np.testing.assert_allclose(last[0, :3] - sole, [-0.02, 0.0, 0.0], atol=1e-9)


def test_nothing_is_expected_beyond_the_horizon(run):
    plan, reference = run.plans[5], Reference(run.behavior)
    late = AddedStep(0, plan.phases[0] + 0.3, plan.phases[0] + AHEAD + 0.3)
    assert predict(reference, replace(plan, steps=(late,))).footholds == ()


@pytest.mark.parametrize("key", ["times", "patches", "packed"])
def test_what_makes_no_sense_is_refused(run, key):
    story = predictions_story(run)
    with pytest.raises(BackbeatError, match="cannot be read"):
        FiledPredictions({**story, key: ["x"]}, run.behavior.robot_model.patches)


def test_numbers_without_bounds_are_kept_within_some(run):
    """After a fall a plan may expect anything."""
    wild = replace(run.plans[0], com=np.full_like(run.plans[0].com, 1e200))
    story = predictions_story(replace(run, plans=(wild,)))
    found = FiledPredictions(story, run.behavior.robot_model.patches).at(0.0)
    assert np.isfinite(found.com).all()
