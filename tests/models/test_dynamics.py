"""The compiled recursion against Drake and against finite differences."""

from collections.abc import Callable

import numpy as np
import pytest
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, MultibodyForces

from backbeat.models.dynamics import kinematics
from backbeat.models.dynamics import recursion as dynamics
from backbeat.models.dynamics.composites import mass_matrix
from backbeat.models.dynamics.derivatives import (
    add_wrench_derivative,
    inverse_dynamics_derivatives,
)
from backbeat.models.dynamics.kinematic_tree import (
    KinematicTree,
    make_workspace,
    read_kinematic_tree,
)
from backbeat.models.dynamics.rotations import box_plus
from tests.models.random_tree import random_plant
from tests.tolerances import EXACT, FINITE_DIFFERENCE, RECURSION

GRAVITY = 9.81
# Half of the robots have rotors behind gears.
CASES = [(seed, floating) for seed in range(4) for floating in (True, False)]


class Case:
    """A random robot in a random state with a random wrench on a random point."""

    def __init__(self, seed: int, floating: bool) -> None:
        self.plant: MultibodyPlant = random_plant(
            seed, 12, floating, rotors=seed % 2 == 1
        )
        self.tree: KinematicTree = read_kinematic_tree(self.plant, "base")
        rng = np.random.default_rng(100 + seed)
        nv = self.plant.num_velocities()
        self.q = rng.normal(size=self.plant.num_positions())
        if floating:
            self.q[:4] /= np.linalg.norm(self.q[:4])
        self.v, self.vdot = rng.normal(size=nv), 3 * rng.normal(size=nv)
        self.body = int(rng.integers(len(self.tree.mass)))
        self.p_PF, self.wrench = rng.normal(size=3), 10 * rng.normal(size=6)
        self.context = self.plant.CreateDefaultContext()
        self.plant.SetPositionsAndVelocities(self.context, np.r_[self.q, self.v])

    def recursion(self, q: np.ndarray, v: np.ndarray, vdot: np.ndarray) -> np.ndarray:
        """Tau with the wrench at the body point, by the recursion."""
        tau, ws = np.zeros(len(v)), make_workspace(self.tree)
        self.ws, self.r, R = ws, np.zeros(3), np.zeros((3, 3))
        dynamics.forward_pass(self.tree, q, v, vdot, GRAVITY, ws, True)
        dynamics.body_forces(self.tree, ws, True)
        kinematics.frame_pose(
            self.tree, ws, q, self.body, np.eye(3), self.p_PF, R, self.r
        )
        dynamics.apply_wrench(ws, self.body, self.r, self.wrench)
        dynamics.backward_pass(self.tree, ws, tau, True)
        return tau

    @property
    def drake_frame(self) -> object:
        """Frame of the loaded body in Drake."""
        name = "base" if self.body == 0 else ""
        for i in self.plant.GetJointIndices():
            joint = self.plant.get_joint(i)
            nf = 6 if self.tree.floating else 0
            if joint.num_velocities() == 1:
                start = joint.velocity_start() - nf + 1
                name = joint.child_body().name() if start == self.body else name
        return self.plant.GetFrameByName(name)

    def jacobian(self) -> np.ndarray:
        """Drake's spatial velocity Jacobian of the loaded point."""
        world = self.plant.world_frame()
        return self.plant.CalcJacobianSpatialVelocity(
            self.context,
            JacobianWrtVariable.kV,
            self.drake_frame,
            self.p_PF,
            world,
            world,
        )


@pytest.fixture(params=CASES, ids=lambda c: f"seed{c[0]}-{'free' if c[1] else 'fix'}")
def case(request: pytest.FixtureRequest) -> Case:
    """A random case."""
    return Case(*request.param)


def relative(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference relative to the largest entry."""
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30))


def test_inverse_dynamics_equals_drake(case: Case) -> None:
    """Inverse dynamics with an external wrench equals Drake's."""
    forces = MultibodyForces(case.plant)
    case.plant.CalcForceElementsContribution(case.context, forces)
    tau = case.plant.CalcInverseDynamics(case.context, case.vdot, forces)
    tau -= case.jacobian().T @ case.wrench
    assert relative(case.recursion(case.q, case.v, case.vdot), tau) < RECURSION


def test_mass_matrix_equals_drake(case: Case) -> None:
    """Both mass matrix routines equal Drake's."""
    case.recursion(case.q, case.v, case.vdot)
    nv = len(case.v)
    M, M2, D = np.zeros((nv, nv)), np.zeros((nv, nv)), np.zeros((nv, nv))
    mass_matrix(case.tree, case.ws, M)
    inverse_dynamics_derivatives(case.tree, case.ws, D, D.copy(), M2)
    drake = case.plant.CalcMassMatrix(case.context)
    assert relative(M, drake) < RECURSION
    assert relative(M2, drake) < RECURSION


def test_a_rotor_is_felt_by_its_own_joint(case: Case) -> None:
    """Rotors are where they should be: else half of the tests above test nothing."""
    motors = [
        case.plant.get_joint_actuator(i) for i in case.plant.GetJointActuatorIndices()
    ]
    nf = 6 if case.tree.floating else 0
    rotor = np.zeros(12)
    for motor in motors:
        of = motor.joint().velocity_start() - nf
        rotor[of] = motor.default_rotor_inertia() * motor.default_gear_ratio() ** 2
    assert len(motors) in (0, 8)
    np.testing.assert_allclose(case.tree.rotor, rotor, rtol=EXACT)


def test_frame_kinematics_equal_drake(case: Case) -> None:
    """Frame Jacobian, bias acceleration and CoM Jacobian equal Drake's."""
    plant, world = case.plant, case.plant.world_frame()
    nv = len(case.v)
    case.recursion(case.q, case.v, np.zeros(nv))
    J, a, Jcom = np.zeros((6, nv)), np.zeros(6), np.zeros((3, nv))
    kinematics.frame_jacobian(case.tree, case.ws, case.body, case.r, J)
    kinematics.frame_acceleration(case.ws, case.body, case.r, GRAVITY, a)
    kinematics.center_of_mass_jacobian(case.tree, case.ws, Jcom)
    bias = plant.CalcBiasSpatialAcceleration(
        case.context,
        JacobianWrtVariable.kV,
        case.drake_frame,
        case.p_PF,
        world,
        world,
    )
    drake_com = plant.CalcJacobianCenterOfMassTranslationalVelocity(
        case.context, JacobianWrtVariable.kV, world, world
    )
    assert relative(J, case.jacobian()) < RECURSION
    assert np.abs(a - bias.get_coeffs()).max() < RECURSION * 100
    assert relative(Jcom, drake_com) < RECURSION


def difference(function: Callable[[np.ndarray], np.ndarray], n: int) -> np.ndarray:
    """Fourth-order central differences of `function(d)` around d = 0."""
    columns = []
    step = 1e-4
    for i in range(n):
        d = np.zeros(n)
        d[i] = step
        near = function(d) - function(-d)
        far = function(2 * d) - function(-2 * d)
        columns.append((8 * near - far) / (12 * step))
    return np.array(columns).T


def test_derivatives_equal_finite_differences(case: Case) -> None:
    """Derivatives of tau along the manifold and in v equal finite differences."""
    nv, tree = len(case.v), case.tree
    case.recursion(case.q, case.v, case.vdot)
    Dq, Dv, M = np.zeros((nv, nv)), np.zeros((nv, nv)), np.zeros((nv, nv))
    inverse_dynamics_derivatives(tree, case.ws, Dq, Dv, M)
    add_wrench_derivative(tree, case.ws, case.body, case.r, case.wrench, Dq)

    def moved(d: np.ndarray) -> np.ndarray:
        q = np.zeros_like(case.q)
        box_plus(case.q, d, 1.0, tree.floating, q)
        # The wrench rides with the point but keeps its world axes.
        return case.recursion(q, case.v, case.vdot)

    by_q = difference(moved, nv)
    by_v = difference(lambda d: case.recursion(case.q, case.v + d, case.vdot), nv)
    assert relative(Dq, by_q) < FINITE_DIFFERENCE
    assert relative(Dv, by_v) < FINITE_DIFFERENCE
