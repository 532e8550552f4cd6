"""Replay: the samples of a motion in a fresh Drake plant.

Nothing of the transcription or of the compiled recursion is used here; the results of
Drake for every sample are recorded, and checked elsewhere.
"""

from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, MultibodyForces

from backbeat.models.dynamics.edges import WHOLE
from backbeat.models.dynamics.frames import ContactFrame
from backbeat.models.dynamics.rolling import ROLLED
from backbeat.models.robot.fusing import set_joints
from backbeat.models.robot.loading import find_frame
from backbeat.models.robot.mimic import Following
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory

# Samples nearer than this are the two sides of an impact [s].
SAME_TIME = 1e-9


@dataclass(frozen=True)
class Replayed:
    """What Drake says of S samples of a motion with C contacts.

    Attributes:
        com: (S, 3) center of mass [m].
        momentum: (S, 6) momentum about the world origin [angular, linear].
        R_WC: (S, C, 3, 3) rotation of each contact.
        p_WC: (S, C, 3) place of each contact [m].
        p_WT: (S, C, 3) what its wrench is about [m]: that place, or nearer to the
            lower edge of a sole that rolls, or the support of one on an edge.
        V_WT: (S, C, 6) spatial velocity there of contacts that stand; zero of others.
        force: (S, C, 6) wrenches of the motion in world axes [N m, N].
        tau: (S, nj) joint torques by inverse dynamics, contacts included [N m].
        mean_v: (S - 1, nv) mean velocity from each sample to the next, by Drake's own
            map at the middle; zero between the two sides of an impact.
    """

    com: np.ndarray
    momentum: np.ndarray
    R_WC: np.ndarray
    p_WC: np.ndarray
    p_WT: np.ndarray
    V_WT: np.ndarray
    force: np.ndarray
    tau: np.ndarray
    mean_v: np.ndarray


def _touching(
    contact: ContactFrame, X_WC: RigidTransform, normal: np.ndarray
) -> np.ndarray:
    """(3,) where a contact touches, seen from it [m]: the lower edge, if it rolls.

    From one edge to the other it goes over within about a degree; see
    `backbeat.models.dynamics.rolling`.
    """
    if not contact.rolls:
        return np.zeros(3)
    sine = float(normal @ X_WC.rotation().matrix()[:, 1])
    lower = -sine / np.hypot(sine, ROLLED)
    return np.array([0.0, contact.half_width * lower, 0.0])


class ReplayPlant:
    """A fresh, unfused plant of a robot, welded and locked like the model."""

    def __init__(self, robot: RobotModel) -> None:
        """Loads the robot's files anew."""
        self._robot = robot
        self._plant = plant = MultibodyPlant(time_step=0.0)
        robot.add_to(plant)
        plant.Finalize()
        self._context = plant.CreateDefaultContext()
        set_joints(plant, self._context, robot.locked)
        joints = [plant.GetJointByName(n) for n in robot.joint_names]
        v = [*range(robot.base_velocities), *(j.velocity_start() for j in joints)]
        q = [*range(robot.base_positions), *(j.position_start() for j in joints)]
        self._v_index, self._q_index = np.array(v, int), np.array(q, int)
        self._following = Following(plant, robot.followers)
        self._home = plant.GetPositions(self._context)
        self._forces = MultibodyForces(plant)
        self._frames = {
            n: (find_frame(plant, robot.contact_link(n)), robot.contact_in_link(n))
            for n in robot.contacts
        }

    def __call__(self, motion: DenseTrajectory, samples: np.ndarray) -> Replayed:
        """Goes through samples of a motion, in order."""
        S, C, nv = len(samples), len(motion.contacts), self._plant.num_velocities()
        q = np.tile(self._home, (S, 1))
        q[:, self._q_index] = motion.q[samples]
        v, vdot = np.zeros((S, nv)), np.zeros((S, nv))
        v[:, self._v_index] = motion.v[samples]
        vdot[:, self._v_index] = motion.vdot[samples]
        self._following.place(q)
        self._following.move(v)
        self._following.move(vdot)
        wrench, R = motion.wrench[samples], motion.R_WC[samples]
        force = (R[:, :, None] @ wrench.reshape(S, C, 2, 3, 1)).reshape(S, C, 6)
        com, momentum, tau = np.zeros((S, 3)), np.zeros((S, 6)), np.zeros((S, nv))
        poses, V_WT = np.zeros((S, C, 3, 4)), np.zeros((S, C, 6))
        p_WT = np.zeros((S, C, 3))
        plant, context, origin = self._plant, self._context, np.zeros(3)
        frames = [self._frames[n] for n in motion.contacts]
        contacts = [self._robot.contacts[n] for n in motion.contacts]
        x, standing = np.hstack([q, v]), motion.standing[samples].tolist()
        on_edge, support = motion.edge[samples] != WHOLE, motion.p_WC[samples]
        for i in range(S):
            plant.SetPositionsAndVelocities(context, x[i])
            com[i] = plant.CalcCenterOfMassPositionInWorld(context)
            spatial = plant.CalcSpatialMomentumInWorldAboutPoint(context, origin)
            momentum[i] = spatial.get_coeffs()
            self._forces.SetZero()
            plant.CalcForceElementsContribution(context, self._forces)
            tau[i] = plant.CalcInverseDynamics(context, vdot[i], self._forces)
            for c, (frame, X_LC) in enumerate(frames):
                X_WC = frame.CalcPoseInWorld(context).multiply(X_LC)
                poses[i, c] = X_WC.GetAsMatrix34()
                p_CT = (
                    X_WC.inverse() @ support[i, c]
                    if on_edge[i, c]
                    else _touching(contacts[c], X_WC, R[i, c, :, 2])
                )
                p_WT[i, c] = X_WC @ p_CT
                if standing[i][c]:
                    J = self._jacobian(frame, X_LC @ p_CT)
                    V_WT[i, c] = J @ v[i]
                    tau[i] -= force[i, c] @ J
        self._following.pass_on(tau)
        nf = self._robot.base_velocities
        return Replayed(
            com=com,
            momentum=momentum,
            R_WC=poses[..., :3],
            p_WC=poses[..., 3],
            p_WT=p_WT,
            V_WT=V_WT,
            force=force,
            tau=tau[:, self._v_index][:, nf:],
            mean_v=self._mean_velocities(q, motion.t[samples]),
        )

    def _jacobian(self, frame: object, p_LC: np.ndarray) -> np.ndarray:
        """(6, nv) Jacobian of a point of a frame in world axes."""
        world = self._plant.world_frame()
        J = self._plant.CalcJacobianSpatialVelocity(
            self._context, JacobianWrtVariable.kV, frame, p_LC, world, world
        )
        return np.asarray(J)

    def _mean_velocities(self, q: np.ndarray, t: np.ndarray) -> np.ndarray:
        dt = np.diff(t)
        a, b = q[:-1], q[1:].copy()
        if self._robot.floating:
            b[(a[:, :4] * b[:, :4]).sum(1) < 0, :4] *= -1
        middle = 0.5 * (a + b)
        if self._robot.floating:
            middle[:, :4] /= np.linalg.norm(middle[:, :4], axis=1, keepdims=True)
        apart = dt > SAME_TIME
        qdot = (b - a) / np.where(apart, dt, 1.0)[:, None]
        found = np.zeros((len(dt), self._plant.num_velocities()))
        for i in np.flatnonzero(apart):
            self._plant.SetPositions(self._context, middle[i])
            found[i] = self._plant.MapQDotToVelocity(self._context, qdot[i])
        return found[:, self._v_index]
