"""A robot as Drake alone knows it: the plant with all its links, nothing fused."""

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, MultibodyForces

from backbeat.models.robot.fusing import set_joints
from backbeat.models.robot.loading import add_robot, find_frame
from backbeat.models.robot.model import RobotModel


class DrakeRobot:
    """Truth for what the compiled code computes; q and v are the robot model's."""

    def __init__(self, robot: RobotModel) -> None:
        self.robot = robot
        self.plant = plant = MultibodyPlant(time_step=0.0)
        add_robot(plant, robot.description, robot.equipment)
        if not robot.floating:
            X_WB = RigidTransform(RotationMatrix(robot.tree.R_WB), robot.tree.p_WB)
            base = plant.GetFrameByName(robot.base_name)
            plant.WeldFrames(plant.world_frame(), base, X_WB)
        plant.Finalize()
        self.context = plant.CreateDefaultContext()
        set_joints(plant, self.context, robot.locked)
        joints = [plant.GetJointByName(n) for n in robot.joint_names]
        base_q, base_v = range(robot.base_positions), range(robot.base_velocities)
        self._q = np.array([*base_q, *(j.position_start() for j in joints)])
        # Of the plant's velocities, which are more where joints are locked.
        self.columns = np.array([*base_v, *(j.velocity_start() for j in joints)])

    def set(self, q: np.ndarray, v: np.ndarray) -> None:
        """Moves to a state."""
        positions = self.plant.GetPositions(self.context)
        positions[self._q] = q
        self.plant.SetPositions(self.context, positions)
        self.plant.SetVelocities(self.context, self._full(v))

    def _full(self, v: np.ndarray) -> np.ndarray:
        full = np.zeros(self.plant.num_velocities())
        full[self.columns] = v
        return full

    def inverse_dynamics(self, vdot: np.ndarray) -> np.ndarray:
        """(nv,) generalized forces for accelerations, gravity and damping included."""
        forces = MultibodyForces(self.plant)
        self.plant.CalcForceElementsContribution(self.context, forces)
        tau = self.plant.CalcInverseDynamics(self.context, self._full(vdot), forces)
        return tau[self.columns]

    def gravity_forces(self) -> np.ndarray:
        """(nv,) generalized forces of gravity."""
        tau = self.plant.CalcGravityGeneralizedForces(self.context)
        return np.asarray(tau[self.columns])

    def _contact(self, name: str) -> tuple[object, RigidTransform]:
        frame = find_frame(self.plant, self.robot.contact_link(name))
        return frame, self.robot.contact_in_link(name)

    def motion_of(self, frame: object, p_FP: np.ndarray) -> tuple[object, ...]:
        """What Drake is asked for the motion of a point with."""
        world = self.plant.world_frame()
        return self.context, JacobianWrtVariable.kV, frame, p_FP, world, world

    def pose(self, name: str) -> RigidTransform:
        """X_WC of a contact."""
        frame, X_FC = self._contact(name)
        return frame.CalcPoseInWorld(self.context) @ X_FC

    def jacobian(self, name: str) -> np.ndarray:
        """(6, nv) Jacobian of a contact, world axes."""
        frame, X_FC = self._contact(name)
        asked = self.motion_of(frame, X_FC.translation())
        return self.plant.CalcJacobianSpatialVelocity(*asked)[:, self.columns]

    def bias_acceleration(self, name: str) -> np.ndarray:
        """(6,) Jdot v of a contact, world axes."""
        frame, X_FC = self._contact(name)
        asked = self.motion_of(frame, X_FC.translation())
        return self.plant.CalcBiasSpatialAcceleration(*asked).get_coeffs()

    def frame_jacobian(self, name: str) -> np.ndarray:
        """(3, nv) angular velocity Jacobian of a link, world axes."""
        asked = self.motion_of(self.plant.GetFrameByName(name), np.zeros(3))
        return self.plant.CalcJacobianSpatialVelocity(*asked)[:3, self.columns]

    def frame_bias(self, name: str) -> np.ndarray:
        """(3,) angular part of Jdot v of a link, world axes."""
        asked = self.motion_of(self.plant.GetFrameByName(name), np.zeros(3))
        return self.plant.CalcBiasSpatialAcceleration(*asked).rotational()

    def center_of_mass(self) -> np.ndarray:
        """(3,) center of mass in the world."""
        return self.plant.CalcCenterOfMassPositionInWorld(self.context)

    def center_of_mass_acceleration(self, vdot: np.ndarray) -> np.ndarray:
        """(3,) acceleration of the center of mass."""
        world = self.plant.world_frame()
        J = self.plant.CalcJacobianCenterOfMassTranslationalVelocity(
            self.context, JacobianWrtVariable.kV, world, world
        )
        bias = self.plant.CalcBiasCenterOfMassTranslationalAcceleration(
            self.context, JacobianWrtVariable.kV, world, world
        )
        return J @ self._full(vdot) + bias

    def mass_matrix(self) -> np.ndarray:
        """(nv, nv) mass matrix of the robot model's velocities."""
        M = self.plant.CalcMassMatrix(self.context)
        return M[np.ix_(self.columns, self.columns)]

    def momentum(self) -> np.ndarray:
        """(6,) momentum about the center of mass, [angular, linear]."""
        momentum = self.plant.CalcSpatialMomentumInWorldAboutPoint(
            self.context, self.center_of_mass()
        )
        return momentum.get_coeffs()

    def energy(self) -> float:
        """Kinetic and potential energy [J]."""
        kinetic = self.plant.CalcKineticEnergy(self.context)
        return float(kinetic + self.plant.CalcPotentialEnergy(self.context))
