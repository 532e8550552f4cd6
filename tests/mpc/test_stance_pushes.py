"""Pushes at the pelvis of a robot that may not step, on sensors and late motors."""

import numpy as np
import pytest

from backbeat.models.robot.model import RobotModel
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from backbeat.mpc.whole_body.programs.tasks import STANCE_GAINS, WholeBodyGains
from tests.mpc.recovered import SOON, recovered
from tests.mpc.whole_body_cases import FEET

IMPULSES = {0: 110.0, 45: 130.0, 90: 130.0, 135: 130.0, 180: 110.0}


def pushed(built, degrees, impulse, time=1.0, lasts=4.0, **world):
    """A run that goes on for so long after the push [s]."""
    a = np.radians(degrees)
    push = Push(time, 0.1, [impulse * np.cos(a), impulse * np.sin(a), 0.0])
    scenario = Scenario.of(
        behavior="stand",
        state="estimated",
        actuator_lag=0.005,
        steps=False,
        pushes=[push],
        duration=time + 0.2 + lasts,
        **world,
    )
    run = run_scenario(scenario, built("stand"))
    assert not any(plan.steps for plan in run.plans)
    return run


def test_a_hard_push_is_caught_by_feet_and_body(built):
    assert recovered(pushed(built, 180, IMPULSES[180], time=0.5, lasts=SOON))


@pytest.mark.slow
@pytest.mark.parametrize("degrees", IMPULSES)
@pytest.mark.parametrize("friction", [0.0, 0.03])
def test_hard_pushes_are_caught_all_around(built, degrees, friction):
    run = pushed(built, degrees, IMPULSES[degrees], joint_friction=friction)
    assert run_metrics(run)["survived"]


def test_gains_are_braced_on_all_feet_where_none_may_step():
    program = WholeBodyProgram(RobotModel(), FEET)
    target = program.make_target()
    assert program.gains_for(target) == WholeBodyGains()
    target.may_step[:] = False
    assert program.gains_for(target) == STANCE_GAINS
    target.standing[1] = False
    assert program.gains_for(target) == WholeBodyGains()


def test_own_gains_are_kept():
    mine = WholeBodyGains(com_stiffness=12.0)
    program = WholeBodyProgram(RobotModel(), FEET, gains=mine)
    target = program.make_target()
    target.may_step[:] = False
    assert program.gains_for(target) == mine
