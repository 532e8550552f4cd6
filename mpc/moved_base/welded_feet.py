"""Feet that are welded to the ground, and legs that move the pelvis between them.

With y the velocity of the base and of the joints above it, the legs follow:

    feet stand      0 = J_B V + J_L qd_L          qd_L = A V,  A = - J_L^-1 J_B
    legs drive      r = M vdot + h with what is prescribed of the base, the legs
                    after it and the other joints as their motors have them
                    A' tau_L = r_B + A' r_L

of which tau_L is the least in shares of the effort limits; what is left of r is the
force of the welds.

Featherstone, "Rigid Body Dynamics Algorithms", 2008, chapter 8.
"""

from collections.abc import Sequence

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex, SpatialInertia
from pydrake.systems.framework import BasicVector, Context, ValueProducer

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.rotations import relative_log
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.moved_base.drive import gripped
from backbeat.mpc.scenario.base_motion import BaseMotion

# What legs reach: residual of a foot [m, rad], steps to it, and the most that a joint
# turns in one [rad].
REACHED, STEPS, MOST_TURN = 1e-9, 30, 0.2
# How far apart poses are that are looked at beforehand [s].
LOOK = 0.02
# What feet are welded to: mass and sides of a plate that never moves [kg, m].
PLATE = (1.0, 0.3, 0.2, 0.01)


def _legs(limbs: Sequence[np.ndarray]) -> str:
    """Which legs there are, in words."""
    counts = " and ".join(str(len(limb)) for limb in limbs)
    return f"legs of {counts}" if limbs else "no legs"


class WeldedLegs:
    """The legs of a robot between its base and feet that stand.

    Attributes:
        robot: the whole robot, nothing of it held.
        joints: (L,) indices of the legs' joints.
        places: pose of each foot in the world, by name of its contact.
    """

    def __init__(self, robot: RobotModel, q: np.ndarray) -> None:
        """Welds the feet where they are at q (nq,).

        Raises:
            BackbeatError: the robot has no legs of six joints each.
        """
        limbs = [robot.contacts[name].limb for name in robot.soles]
        if not limbs or any(len(limb) != 6 for limb in limbs):
            raise BackbeatError(
                "only feet of legs of six joints each can be welded, and "
                f"{robot.name} has {_legs(limbs)}; take feet: held"
            )
        self.robot, self.joints = robot, robot.leg_joints
        self._limbs = dict(zip(robot.soles, limbs, strict=True))
        self._state = Configuration(robot, q)
        self.places = {name: self._state.pose(name) for name in robot.soles}

    def weld(self, plant: MultibodyPlant, instance: ModelInstanceIndex) -> None:
        """Welds the feet to the world in a plant that is not yet finalized."""
        robot, ground = self.robot, plant.AddModelInstance("ground")
        for name, X_WC in self.places.items():
            frame = plant.GetFrameByName(robot.contact_link(name), instance)
            X_BC = frame.GetFixedPoseInBodyFrame() @ robot.contact_in_link(name)
            # Drake 1.51 crashes where a constraint is between a body and the world
            # itself: a plate that stands on it does.
            plate = plant.AddRigidBody(
                f"{name}_ground", ground, SpatialInertia.SolidBoxWithMass(*PLATE)
            )
            plant.WeldFrames(plant.world_frame(), plate.body_frame(), X_WC)
            plant.AddWeldConstraint(plate, RigidTransform(), frame.body(), X_BC)

    def follow(self, q: np.ndarray) -> float:
        """Bends the legs of q (nq,) so that the feet are where they are welded.

        Returns:
            What is missing [m, rad].
        """
        state, missing = self._state, np.inf
        for _ in range(STEPS):
            state.update(q)
            missing = 0.0
            for name, X_WC in self.places.items():
                error = _error(state.pose(name), X_WC)
                missing = max(missing, float(np.abs(error).max()))
                J = state.jacobian(name)[:, 6 + self._limbs[name]]
                turn = np.linalg.lstsq(J, error, rcond=1e-6)[0]
                q[7 + self._limbs[name]] += np.clip(turn, -MOST_TURN, MOST_TURN)
            if missing < REACHED:
                break
        return missing

    def check(self, motion: BaseMotion, q: np.ndarray, duration: float) -> None:
        """Checks that legs reach all that a base does that begins at q (nq,).

        Raises:
            BackbeatError: they do not, and when.
        """
        robot, q = self.robot, q.copy()
        start, legs = q[:7].copy(), 7 + self.joints
        lower = robot.position_lower[self.joints]
        upper = robot.position_upper[self.joints]
        for t in np.arange(0.0, duration, LOOK):
            q[:7] = motion.base(float(t), start)[0]
            missing = self.follow(q)
            beyond = np.maximum(lower - q[legs], q[legs] - upper)
            if missing < REACHED and beyond.max() <= 0.0:
                continue
            j = int(beyond.argmax())
            what = f"{robot.joint_names[self.joints[j]]} is at its stop"
            if missing >= REACHED:
                what = "a leg is straight"
            raise BackbeatError(
                f"at {t:.2f} s the pelvis goes where legs with welded feet do not "
                f"reach: {what}; make base.amplitude smaller than "
                f"{motion.amplitude:g}, let fewer axes sway, or begin with other legs"
            )

    def torques(
        self, q: np.ndarray, v: np.ndarray, acceleration: np.ndarray, above: np.ndarray
    ) -> np.ndarray:
        """(L,) torques of the legs that move the base as requested [N m].

        Args:
            q, v: (nq,), (nv,) state of the robot.
            acceleration: (6,) of the base.
            above: (nj,) torques of the joints above it; the legs' do not count [N m].
        """
        robot, state = self.robot, self._state.update(q, v)
        M, h, legs = state.mass_matrix, state.bias, 6 + self.joints
        h[6:] += robot.damping * v[6:]
        others = np.setdiff1d(np.arange(6, len(v)), legs)
        A, vdot = np.zeros((len(legs), 6)), np.zeros(len(v))
        vdot[:6] = acceleration
        for name, limb in self._limbs.items():
            J, rows = state.jacobian(name), np.isin(self.joints, limb)
            J_L = J[:, 6 + limb]
            A[rows] = -np.linalg.solve(J_L, J[:, :6])
            moved = state.bias_acceleration(name)
            vdot[6 + limb] = A[rows] @ acceleration - np.linalg.solve(J_L, moved)
        known = M[others] @ vdot + h[others]
        vdot[others] = np.linalg.solve(
            M[np.ix_(others, others)], above[others - 6] - known
        )
        r = M @ vdot + h
        wanted = r[:6] + A.T @ r[legs]
        # Least squares of tau / limit.
        B = A * robot.effort_limits[self.joints][:, None]
        share = B @ np.linalg.solve(B.T @ B, wanted)
        return np.asarray(robot.effort_limits[self.joints] * share)


def _error(X_WF: RigidTransform, X_WG: RigidTransform) -> np.ndarray:
    """(6,) from a frame to a goal, world axes [rad, m]."""
    out, R_WG = np.zeros(6), np.ascontiguousarray(X_WG.rotation().matrix())
    relative_log(R_WG, X_WF.rotation().matrix(), out[:3])
    out[3:] = X_WG.translation() - X_WF.translation()
    return out


class LegDrive(CollectableSystem):
    """Moves the base of a robot with welded feet by the motors of its legs.

    .. pydrake_system::

        name: LegDrive
        input_ports:
        - state
        - effort
        - actuation
        - motion
        output_ports:
        - actuation
        - leg_effort

    `state` is the true [q, v] of the whole robot (nq + nv), `effort` (n) what motors of
    the joints above the base give [N m], `actuation` (nu) the same for the plant,
    `motion` (19) that of a `BaseSource`. The output `actuation` has the legs' torques
    besides, `leg_effort` (L) those alone, within limits.
    """

    def __init__(
        self,
        legs: WeldedLegs,
        above: RobotModel,
        actuator_joints: tuple[str, ...],
    ) -> None:
        """Makes the drive.

        Args:
            legs: the legs.
            above: the model whose joints `effort` is for.
            actuator_joints: joint of every actuator in the plant's order.
        """
        super().__init__()
        self._legs = legs
        robot = legs.robot
        self._above = np.array([robot.joint_index(n) for n in above.joint_names])
        names = [robot.joint_names[j] for j in legs.joints]
        self._actuators = np.array([actuator_joints.index(n) for n in names])
        size = robot.num_positions + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", size)
        self._effort = self.DeclareVectorInputPort("effort", above.num_joints)
        self._told = self.DeclareVectorInputPort("actuation", len(actuator_joints))
        self._prescribed = self.DeclareVectorInputPort("motion", 19)
        self._torques = self.DeclareCacheEntry(
            "torques",
            ValueProducer(
                lambda: AbstractValue.Make(np.zeros(len(names))), weak(self._calc)
            ),
            {p.ticket() for p in (self._state, self._effort, self._prescribed)},
        ).cache_index()
        self.DeclareVectorOutputPort(
            "actuation", len(actuator_joints), weak(self._calc_actuation)
        )
        self.DeclareVectorOutputPort("leg_effort", len(names), weak(self._calc_effort))

    def _read(self, context: Context) -> np.ndarray:
        found: np.ndarray = self.get_cache_entry(self._torques).Eval(context)
        return found

    def _calc(self, context: Context, output: AbstractValue) -> None:
        legs, x = self._legs, self._state.Eval(context)
        robot = legs.robot
        q, v = x[: robot.num_positions], x[robot.num_positions :]
        above = np.zeros(robot.num_joints)
        above[self._above] = self._effort.Eval(context)
        wanted = gripped(self._prescribed.Eval(context), q, v)
        limits = robot.effort_limits[legs.joints]
        output.set_value(np.clip(legs.torques(q, v, wanted, above), -limits, limits))

    def _calc_actuation(self, context: Context, output: BasicVector) -> None:
        told = self._told.Eval(context).copy()
        told[self._actuators] += self._read(context)
        output.SetFromVector(told)

    def _calc_effort(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context))
