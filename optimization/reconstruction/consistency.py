"""Consistency: standing contacts keep their places, and forces fit the motion.

Sample by sample, compiled: the limb of every standing contact is put where that stands,
and the wrenches of standing patches are changed by the least that satisfies the base
dynamics.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import (
    Array3,
    Array3View,
    Array4,
    FlagMatrix,
    FlagsView,
    IndexMatrix,
    Matrix,
    VectorView,
)
from backbeat.models.dynamics.kinematic_tree import Workspace
from backbeat.models.dynamics.kinematics import frame_pose
from backbeat.models.dynamics.recursion import (
    apply_wrench,
    backward_pass,
    body_forces,
    forward_pass,
)
from backbeat.models.dynamics.rolling import roll
from backbeat.optimization.kinematics.limb import Limb, Movement, put_limb
from backbeat.optimization.transcription.program import Program

# Share of a roll moment that is corrected where a sole rolls on its edge, which bears
# hardly any: other forces are corrected rather.
ON_EDGE = 0.2


class StandingContacts(NamedTuple):
    """Contacts and where they stand, sample by sample."""

    limb: IndexMatrix  # (C, n) joints of their limbs, -1 from where there are no more
    standing: FlagMatrix  # (M, C)
    R_WC: Array4  # (M, C, 3, 3) poses of their supports
    p_WC: Array3  # (M, C, 3) [m]
    edge: Matrix  # (M, C) how far ahead of its middle a sole on an edge stands [m]


class SupportSample(NamedTuple):
    """Contacts at one sample."""

    standing: FlagsView  # (C,)
    R_WC: Array3View  # (C, 3, 3) rotations of their supports
    edge: VectorView  # (C,) how far ahead of its middle a sole on an edge stands [m]


class MotionSamples(NamedTuple):
    """A motion, sample by sample."""

    q: Matrix  # (M, nq)
    v: Matrix  # (M, nv)
    vdot: Matrix  # (M, nv)
    wrench: Array3  # (M, C, 6) in contact axes [N m, N]
    tau: Matrix  # (M, nj) joint torques [N m]


@compiled
def make_consistent(
    program: Program,
    ws: Workspace,
    contacts: StandingContacts,
    motion: MotionSamples,
) -> None:
    """Corrects a motion in place and writes its torques; see the module's head.

    Args:
        program: Program whose first frames are the contacts.
        ws: a workspace of its tree.
        contacts: where they stand.
        motion: to correct; its torques are written.
    """
    limb, standing = contacts.limb, contacts.standing
    R_WC, p_WC, tau = contacts.R_WC, contacts.p_WC, motion.tau
    q, v, vdot = motion.q, motion.v, motion.vdot
    M, C = standing.shape
    nf = v.shape[1] - tau.shape[1]
    full = np.zeros(v.shape[1])
    change = np.zeros((3, limb.shape[1]))
    for s in range(M):
        now = Movement(q[s], v[s], vdot[s])
        for c in range(C):
            n = _limb_size(limb, c)
            if not standing[s, c] or n == 0:
                continue
            placed = Limb(
                program.frame_body[c],
                program.frame_R[c],
                program.frame_p[c],
                program.wrench_first[c],
                program.frame_rolls[c],
                contacts.edge[s, c],
                limb[c, :n],
                R_WC[s, c],
                p_WC[s, c],
                True,
            )
            put_limb(program.tree, program.gravity, ws, placed, now, change)
        stance = SupportSample(standing[s], R_WC[s], contacts.edge[s])
        _balance(program, ws, stance, now, motion.wrench[s], full)
        for j in range(tau.shape[1]):
            tau[s, j] = full[nf + j]


@compiled
def _limb_size(limb, c):
    n = 0
    while n < limb.shape[1] and limb[c, n] >= 0:
        n += 1
    return n


@compiled
def _balance(program, ws, stance, now, wrench, tau):
    """Corrects the wrenches of standing patches to satisfy the base dynamics."""
    tree, first = program.tree, program.wrench_first
    standing, R_WC, edge = stance
    body, C = program.frame_body, standing.shape[0]
    nf = 6 if tree.floating else 0
    r, touch = np.empty((C, 3)), np.empty((C, 3))
    W = np.empty(6)
    # A newton meter of correction costs as much as ten newtons.
    reach = 0.1
    for attempt in range(2):
        forward_pass(tree, now.q, now.v, now.vdot, program.gravity, ws, False)
        body_forces(tree, ws, False)
        for c in range(C):
            if not standing[c]:
                continue
            _see_support(program, ws, now.q, stance, c, r[c], touch[c])
            for i in range(3):
                W[i] = 0.0
                W[3 + i] = 0.0
                for m in range(3):
                    W[i] += R_WC[c, i, m] * wrench[c, m]
                    W[3 + i] += R_WC[c, i, m] * wrench[c, 3 + m]
            apply_wrench(ws, body[c], r[c], W)
        backward_pass(tree, ws, tau, False)
        if attempt == 1 or nf == 0:
            return
        # Patches share the correction as they share the load: a foot that hardly
        # stands cannot take a moment.
        load = 0.0
        for c in range(C):
            if standing[c] and first[c] == 0:
                load += max(wrench[c, 5], 1.0)
        if load == 0.0:
            return
        G = np.zeros((6, 6))
        for c in range(C):
            if standing[c] and first[c] == 0:
                share = max(wrench[c, 5], 1.0) / load
                B = _wrench_map(program, c, stance, touch, reach)
                G += share * share * (B @ B.T)
        x = np.linalg.solve(G, tau[:6].copy())
        for c in range(C):
            if standing[c] and first[c] == 0:
                share = max(wrench[c, 5], 1.0) / load
                B = _wrench_map(program, c, stance, touch, reach)
                y = share * share * (B.T @ x)
                line = _line(program, c, edge[c])
                if line >= 0:
                    y[line] *= ON_EDGE
                for i in range(3):
                    wrench[c, i] += reach * y[i]
                    wrench[c, 3 + i] += y[3 + i]
                # From where it touches to where wrenches are about.
                wrench[c, 1] -= edge[c] * y[5]
                wrench[c, 2] += edge[c] * y[4]


@compiled
def _see_support(program, ws, q, stance, c, r, touch):
    """Writes what the wrench of contact c is about, and where it touches, (3,) each."""
    R, up = np.empty((3, 3)), stance.R_WC[c, :, 2].copy()
    to_pivot, edge = np.empty(3), stance.edge[c]
    R_BF, p_BF = program.frame_R[c], program.frame_p[c]
    frame_pose(program.tree, ws, q, program.frame_body[c], R_BF, p_BF, R, r)
    roll(R, up, program.frame_rolls[c], to_pivot, np.empty(3))
    for i in range(3):
        touch[i] = r[i] + to_pivot[i] + edge * R[i, 0]
        r[i] = touch[i] - edge * stance.R_WC[c, i, 0]


@compiled
def _line(program, c, edge):
    """Axis of the line on which contact c stands: 0 or 1; below zero for a patch."""
    if edge != 0.0:
        return 1
    return 0 if program.frame_rolls[c] > 0.0 else -1


@compiled
def _wrench_map(program, c, stance, touch, reach):
    """Maps a scaled wrench where contact c touches to one about the base origin."""
    R_WC, r, B = stance.R_WC[c], touch[c], np.zeros((6, 6))
    line = _line(program, c, stance.edge[c])
    for j in range(3):
        f0, f1, f2 = R_WC[0, j], R_WC[1, j], R_WC[2, j]
        B[0, j] = reach * f0
        B[1, j] = reach * f1
        B[2, j] = reach * f2
        B[0, 3 + j] = r[1] * f2 - r[2] * f1
        B[1, 3 + j] = r[2] * f0 - r[0] * f2
        B[2, 3 + j] = r[0] * f1 - r[1] * f0
        B[3, 3 + j] = f0
        B[4, 3 + j] = f1
        B[5, 3 + j] = f2
    if line >= 0:
        for i in range(6):
            B[i, line] *= ON_EDGE
    return B
