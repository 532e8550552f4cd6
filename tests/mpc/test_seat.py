"""The whole-body program on a seat: a contact that no limb makes up for."""

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from tests.mpc.full_program import FullProgram
from tests.mpc.whole_body_cases import FEET, Stance
from tests.tolerances import ELIMINATION, EXACT, RECURSION

SEATED = (*FEET, "seat")


def relative(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference relative to the largest entry."""
    return float(np.abs(a - b).max() / np.abs(b).max())


def sit(seed: int = 0, **change) -> Stance:
    stance = Stance(seed, contacts=SEATED, posture="drum-ready-seated", **change)
    stance.target.wrench[:, 5] = [0.15, 0.15, 0.7]
    return stance


def test_what_is_promised_is_what_physics_does():
    stance = sit()
    solution = stance.program.solve(stance.q, stance.v, stance.target)
    assert solution.is_solved
    total = stance.drake.inverse_dynamics(solution.vdot)
    for name, w in zip(SEATED, solution.wrench, strict=True):
        total -= stance.drake.jacobian(name).T @ stance.wrench(name, w)
    assert np.abs(total[:6]).max() < RECURSION * stance.robot.weight
    error = np.abs(total[6:] - solution.tau).max()
    assert error < RECURSION * np.abs(solution.tau).max()


@pytest.mark.parametrize("seed", range(3))
def test_the_answer_is_that_of_the_program_stated_in_full(seed):
    stance = sit(seed)
    solution = stance.program.solve(stance.q, stance.v, stance.target)
    vdot, tau, wrench = FullProgram(stance).solve()
    assert relative(solution.vdot, vdot) < ELIMINATION
    assert relative(solution.tau, tau) < ELIMINATION
    assert relative(solution.wrench, wrench) < ELIMINATION


def test_who_sits_still_keeps_the_seat_where_it_is():
    """Though arms, trunk and momentum want to be elsewhere."""
    stance = sit(spread=0.0, speed=0.0)
    stance.target.joints[0] += 0.1
    stance.target.com[0] += [0.02, 0.02, 0.02]
    solution = stance.program.solve(stance.q, stance.v, stance.target)
    a = stance.drake.jacobian("seat") @ solution.vdot
    assert np.abs(a + stance.drake.bias_acceleration("seat")).max() < 0.02
    assert np.abs(solution.vdot[6:]).max() > 1.0
    assert solution.wrench[2, 5] > 0.3


def test_a_seat_does_not_pull():
    """Who was thrown off it is in the air, and an answer is found."""
    stance = sit(spread=0.0, speed=0.0)
    stance.v[5] = 1.0
    stance.drake.set(stance.q, stance.v)
    solution = stance.program.solve(stance.q, stance.v, stance.target)
    assert solution.is_solved
    a = stance.drake.jacobian("seat") @ solution.vdot
    a += stance.drake.bias_acceleration("seat")
    wanted = -stance.program.gains_for(stance.target).contact_damping * stance.v[5]
    assert a[5] > 0.8 * wanted
    assert solution.wrench[2, 5] < 0.05


def test_a_seat_in_the_air_is_none():
    """Standing with a seat that carries nothing is standing without one."""
    plain, other = Stance(1), Stance(1, contacts=SEATED)
    other.target.standing[2] = False
    other.target.wrench[:] = 0.0
    plain.target.wrench[:] = 0.0
    a = plain.program.solve(plain.q, plain.v, plain.target)
    b = other.program.solve(other.q, other.v, other.target)
    assert np.abs(b.wrench[2]).max() < EXACT
    assert relative(b.tau, a.tau) < ELIMINATION
    assert relative(b.vdot, a.vdot) < ELIMINATION


def test_contacts_with_limbs_come_first():
    with pytest.raises(BackbeatError, match="with a limb come first"):
        Stance(0, contacts=("seat", *FEET))


def test_a_seated_robot_has_no_soles_to_step_with(drummer, groove):
    assert drummer.patches == SEATED
    assert drummer.soles == ()
    assert groove.soles == (0, 1)
