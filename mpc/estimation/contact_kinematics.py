"""Where contacts are on a robot and how they move, from its joints alone."""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, IndexMatrix, Indices, Matrix, Vector
from backbeat.models.dynamics.edges import level_ahead
from backbeat.models.dynamics.frame_arrays import frame_arrays
from backbeat.models.dynamics.kinematic_tree import KinematicTree, Workspace
from backbeat.models.dynamics.kinematics import frame_jacobian, frame_pose
from backbeat.models.dynamics.recursion import forward_pass
from backbeat.models.dynamics.rolling import roll
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.estimation.invariant_filter import ContactKinematics


class Limbs(NamedTuple):
    """Where the contacts are on the robot."""

    body: Indices  # (C,)
    R: Array3  # (C, 3, 3)
    p: Matrix  # (C, 3)
    joints: IndexMatrix  # (C, K) joints that move the contact
    rolls: Vector  # (C,) half widths of soles that roll [m], or `FLAT`


def read_limbs(robot: RobotModel) -> Limbs:
    """What rests of the feet of a robot, and the joints that move it."""
    frames = [robot.contacts[n].frame for n in robot.rests]
    rolls = np.array([robot.contacts[n].rolled_width for n in robot.rests], float)
    tree, C = robot.tree, len(frames)
    chains: list[list[int]] = []
    for frame in frames:
        j = frame.body - 1
        above = tree.ancestor[j, : tree.num_ancestors[j]].tolist() if j >= 0 else []
        chains.append([*above, j] if j >= 0 else [])
    K = max((len(chain) for chain in chains), default=0)
    joints = np.full((C, K), -1, np.int64)
    for row, chain in zip(joints, chains, strict=True):
        row[: len(chain)] = chain
    return Limbs(*frame_arrays(frames), joints, rolls)


@compiled
def see_contacts(
    tree: KinematicTree,
    ws: Workspace,
    limbs: Limbs,
    position: Vector,
    velocity: Vector,
    up: Vector,
    edge: Vector,
    out: ContactKinematics,
) -> None:
    """Writes the ContactKinematics of joint positions and velocities.

    The base stands at the origin of the world for it, whatever holds it really. `up` is
    (3,) the vertical in its axes, `edge` (C,) how far ahead the edge is on which a sole
    stands [m], or 0. A sole that rolls, or is on an edge, has its place where that
    rests, and moves as where it touches.
    """
    nv, nj = ws.S.shape[0], position.shape[0]
    nq = nv + 1 if tree.floating else nv
    q, v, zero = np.zeros(nq), np.zeros(nv), np.zeros(nv)
    q[0] = 1.0
    q[nq - nj :] = position
    v[nv - nj :] = velocity
    forward_pass(tree, q, v, zero, 0.0, ws, False)
    R, J = np.empty((3, 3)), np.empty((6, nv))
    to_pivot, to_place = np.empty(3), np.empty(3)
    for c in range(limbs.body.shape[0]):
        z = out.place[c]
        frame_pose(tree, ws, q, limbs.body[c], limbs.R[c], limbs.p[c], R, z)
        if limbs.rolls[c] > 0.0:
            roll(R, up, limbs.rolls[c], to_pivot, to_place)
            for i in range(3):
                z[i] += to_pivot[i]
        for i in range(3):
            z[i] += edge[c] * R[i, 0]
        frame_jacobian(tree, ws, limbs.body[c], z, J)
        for i in range(3):
            out.touch[c, i] = z[i]
        if limbs.rolls[c] > 0.0:
            for i in range(3):
                z[i] += to_place[i] - to_pivot[i]
        out.rolls[c] = limbs.rolls[c] if edge[c] == 0.0 else 0.0
        along = 0 if edge[c] == 0.0 else 1
        if edge[c] != 0.0:
            _put_back(R, up, edge[c], z)
        for i in range(3):
            out.normal[c, i], out.ahead[c, i] = R[i, 2], R[i, along]
            u = 0.0
            for k in range(limbs.joints.shape[1]):
                j = limbs.joints[c, k]
                a = J[3 + i, nv - nj + j] if j >= 0 else 0.0
                out.J[c, i, k] = a
                u += a * velocity[j] if j >= 0 else 0.0
            out.velocity[c, i] = u


@compiled
def _put_back(R, up, edge, z):
    """Moves z from the edge on which a sole stands to its middle, were it flat."""
    level = np.empty(3)
    level_ahead(R, up, level)
    for i in range(3):
        z[i] -= edge * level[i]
