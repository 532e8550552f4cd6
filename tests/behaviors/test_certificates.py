"""Every behavior that ships is verified, by the bounds it was promised with."""

import numpy as np
import pytest

from backbeat.behaviors.specification.kinds import shipped_names
from tests.behaviors.drake_robot import DrakeRobot

# What a motion may be off by, written down here once more: whoever loosens a bound of
# verification has to loosen it in two places.
PROMISED = {
    "knot_violation": 1e-6,  # scaled
    "contact_position": 0.5e-3,  # m
    "contact_slip": 5e-3,  # m/s
    "penetration": 0.5e-3,  # m
    "force_balance": 0.01,  # weights
    "moment_balance": 0.01,  # weights x m
    "joint_position": 1e-3,  # rad
    "joint_velocity": 1.0,  # share of the limit
    "joint_torque": 1.0,  # share of the limit
    "friction": 1e-3,  # weights
}


# Built by other tests of an everyday run as well.
EVERYDAY = {"groove", "outstanding", "outstanding-standing", "posture-tour", "stand"}


@pytest.fixture(
    params=[
        name if name in EVERYDAY else pytest.param(name, marks=pytest.mark.slow)
        for name in shipped_names()
    ]
)
def behavior(request, built):
    return built(request.param)


def test_the_certificate_keeps_its_promises(behavior):
    checks = {c.name: c for c in behavior.certificate.checks}
    assert behavior.certificate.passed
    for name, bound in PROMISED.items():
        assert checks[name].value <= bound, name
        assert checks[name].bound <= bound, name


def test_samples_are_close_and_in_order(behavior):
    steps = np.diff(behavior.motion.t)
    assert steps.min() >= 0.0
    assert steps.max() <= 0.005 + 1e-9
    assert behavior.motion.t[0] == 0.0


def test_torques_are_those_of_drake(behavior):
    """Inverse dynamics of the whole robot, less the wrenches of contacts."""
    robot, motion = behavior.robot_model, behavior.motion
    drake, nf = DrakeRobot(robot), robot.base_velocities
    for i in range(5, len(motion.t) - 1, 211):
        drake.set(motion.q[i], motion.v[i])
        tau = drake.inverse_dynamics(motion.vdot[i])
        for c, name in enumerate(motion.contacts):
            if motion.standing[i, c]:
                R, w = motion.R_WC[i, c], motion.wrench[i, c]
                tau -= drake.jacobian(name).T @ np.r_[R @ w[:3], R @ w[3:]]
        error = np.abs(tau[nf:] - motion.tau[i])
        assert error.max() < 1e-3 * np.abs(motion.tau).max()
        assert np.abs(tau[:nf]).max(initial=0.0) < 0.01 * robot.weight


def test_it_starts_and_ends_at_rest(behavior):
    assert not behavior.motion.v[0].any()
    assert not behavior.motion.v[-1].any()


def test_it_says_what_it_was_built_from(behavior):
    assert f"name: {behavior.name}" in behavior.specification
    assert len(str(behavior.provenance["key"])) == 64
    assert "verified" in str(behavior)
    assert "NOT" not in str(behavior)
