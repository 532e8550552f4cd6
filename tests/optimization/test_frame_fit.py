"""Fits of frames against Drake's kinematics, and against SciPy's least squares."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.frame_fit import FitTargets, FitTerms, FrameFit

ROBOT = RobotModel()
STAND = ROBOT.posture("stand")
FEET = [ROBOT.frame(name) for name in ROBOT.feet.values()]
HANDS = [ROBOT.link_frame(ROBOT.roles.link(f"{s} wrist")) for s in ("left", "right")]
ELBOWS = [ROBOT.link_frame(ROBOT.roles.link(f"{s} elbow")) for s in ("left", "right")]
ONES = np.ones(3)
NV = ROBOT.num_velocities
BOUNDS = ROBOT.position_lower, ROBOT.position_upper


def make_terms(near=1e-3):
    return FitTerms(
        places=[(foot, 300 * ONES) for foot in FEET] + [(ROBOT.trunk, 20 * ONES)],
        turns=[(foot, 30 * ONES) for foot in FEET]
        + [(ROBOT.trunk, np.array([10.0, 20.0, 5.0]))],
        segments=[(a, b, 30.0) for a, b in zip(ELBOWS, HANDS, strict=True)],
        near=np.full(NV, near),
        damping=1.0,
    )


def targets_at(q):
    """Where everything is at a configuration, by Drake."""
    plant, context = ROBOT.plant, ROBOT.plant.CreateDefaultContext()
    plant.SetPositions(context, q)

    def pose(frame):
        name = ROBOT.joint_names[frame.body - 1] if frame.body else ""
        body = (
            plant.GetJointByName(name).child_body()
            if name
            else plant.GetBodyByName(ROBOT.base_name)
        )
        X = plant.EvalBodyPoseInWorld(context, body)
        return X.rotation().matrix() @ frame.R_PF, X.multiply(frame.p_PF)

    terms = make_terms()
    return FitTargets(
        np.array([pose(frame)[1] for frame, _ in terms.places]),
        np.array([pose(frame)[0] for frame, _ in terms.turns]),
        np.array([pose(b)[1] - pose(a)[1] for a, b, _ in terms.segments]),
    )


def moved(seed, size=0.15):
    """A configuration near standing, within the limits."""
    rng = np.random.default_rng(seed)
    q = np.empty(len(STAND))
    box_plus(STAND, rng.normal(0, size, NV), 1.0, True, q)
    q[7:] = np.clip(q[7:], *BOUNDS)
    return q


@pytest.mark.parametrize("seed", range(4))
def test_what_exists_is_found(seed):
    q = FrameFit(ROBOT, make_terms()).fit(
        STAND, STAND, targets_at(moved(seed)), BOUNDS, 100, 0.3
    )
    wanted, found = targets_at(moved(seed)), targets_at(q)
    for name, most in (("places", 1e-4), ("turns", 1e-3), ("segments", 1e-4)):
        difference = getattr(wanted, name) - getattr(found, name)
        assert np.abs(difference).max() < most


def cost(terms, targets, q_near, step, q):
    """What is minimized, written down again with Configuration and SciPy."""
    at = np.empty(len(q))
    box_plus(q, step, 1.0, True, at)
    state, rows = Configuration(ROBOT, at), []
    for (frame, w), p in zip(terms.places, targets.places, strict=True):
        rows.append(w * (state.place(frame) - p))
    for (frame, w), R in zip(terms.turns, targets.turns, strict=True):
        phi = Rotation.from_matrix(state.rotation(frame) @ R.T).as_rotvec()
        rows.append(w * (R.T @ phi))
    for (a, b, w), d in zip(terms.segments, targets.segments, strict=True):
        rows.append(w * (state.place(b) - state.place(a) - d))
    q1, q0 = Rotation.from_quat(np.roll(at[:4], -1)), np.roll(q_near[:4], -1)
    turn = (q1 * Rotation.from_quat(q0).inv()).as_rotvec()
    rows.append(terms.near * np.r_[turn, at[4:] - q_near[4:]])
    return float(np.sum(np.concatenate(rows) ** 2))


def test_the_minimum_is_that_of_another_solver():
    """Targets that contradict each other, and a strong pull to a posture."""
    terms, targets = make_terms(near=3.0), targets_at(moved(7))
    targets = replace(targets, places=targets.places + [0.0, 0.0, 0.05])
    q = FrameFit(ROBOT, terms).fit(
        STAND, STAND, targets, (-9 * ONES[0] * np.ones(30), 9 * np.ones(30)), 200, 0.3
    )
    zero = np.zeros(NV)
    found = cost(terms, targets, STAND, zero, q)
    other = minimize(
        lambda x: cost(terms, targets, STAND, x, q),
        zero,
        method="BFGS",
        options={"maxiter": 12},
    )
    assert found <= other.fun * (1 + 1e-6)
    assert found < 0.5 * cost(terms, targets, STAND, zero, STAND)


def test_joints_stay_within_bounds_and_steps_are_short():
    wanted = targets_at(moved(2, 0.3))
    fit = FrameFit(ROBOT, make_terms())
    low, high = STAND[7:] - 0.05, STAND[7:] + 0.05
    q = fit.fit(STAND, STAND, wanted, (low, high), 50, 0.3)
    assert (q[7:] >= low - 1e-9).all()
    assert (q[7:] <= high + 1e-9).all()
    once = fit.fit(STAND, STAND, wanted, BOUNDS, 1, 0.02)
    assert np.abs(once[7:] - STAND[7:]).max() <= 0.02 + 1e-9
