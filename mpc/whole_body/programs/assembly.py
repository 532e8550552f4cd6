"""Assembly of the whole-body quadratic program, compiled.

The state first, then limbs and base as functions of the unknowns, then costs and
limits; `backbeat.mpc.whole_body.programs.limb_elimination` has the notation.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Vector
from backbeat.models.compiled.bound import Bound
from backbeat.models.dynamics.composites import mass_matrix
from backbeat.models.dynamics.kinematics import (
    base_position,
    frame_acceleration,
    frame_jacobian,
    frame_pose,
)
from backbeat.models.dynamics.recursion import backward_pass, body_forces, forward_pass
from backbeat.mpc.whole_body.programs.arguments import (
    ProgramArguments,
    Structure,
    Target,
    Tick,
)
from backbeat.mpc.whole_body.programs.costs import (
    apply_known_loads,
    contact_cost,
    momentum_cost,
    orientation_cost,
    point_cost,
    posture_cost,
)
from backbeat.mpc.whole_body.programs.limb_elimination import eliminate
from backbeat.mpc.whole_body.programs.limits import limits


@compiled
def update_state(structure: Structure, q: Vector, v: Vector, tick: Tick) -> None:
    """Dynamics, contacts, center of mass and momentum at (q, v)."""
    tree, ws = structure.tree, tick.ws
    nv = v.shape[0]
    forward_pass(tree, q, v, np.zeros(nv), structure.gravity, ws, False)
    J = np.empty((6, nv))
    a = np.empty(6)
    for c in range(structure.contact_body.shape[0]):
        body, R, r = structure.contact_body[c], tick.R[c], tick.r[c]
        frame_pose(
            tree, ws, q, body, structure.contact_R[c], structure.contact_p[c], R, r
        )
        frame_jacobian(tree, ws, body, r, J)
        frame_acceleration(ws, body, r, structure.gravity, a)
        for i in range(3):
            tick.Jdv[c, i] = R[0, i] * a[0] + R[1, i] * a[1] + R[2, i] * a[2]
            tick.Jdv[c, 3 + i] = R[0, i] * a[3] + R[1, i] * a[4] + R[2, i] * a[5]
            for j in range(nv):
                tick.J[c, i, j] = (
                    R[0, i] * J[0, j] + R[1, i] * J[1, j] + R[2, i] * J[2, j]
                )
                tick.J[c, 3 + i, j] = (
                    R[0, i] * J[3, j] + R[1, i] * J[4, j] + R[2, i] * J[5, j]
                )
    frame_pose(
        tree,
        ws,
        q,
        structure.trunk_body,
        structure.trunk_R,
        structure.trunk_p,
        tick.R_trunk,
        np.empty(3),
    )
    body_forces(tree, ws, False)
    backward_pass(tree, ws, tick.bias, False)
    mass_matrix(tree, ws, tick.M)
    nf = nv - structure.effort.shape[0]
    for j in range(structure.effort.shape[0]):
        tick.bias[nf + j] += structure.damping[j] * v[nf + j]
    base_position(tree, q, tick.com)
    x, y, z = ws.h[0, 0] / ws.m[0], ws.h[0, 1] / ws.m[0], ws.h[0, 2] / ws.m[0]
    tick.com[0] += x
    tick.com[1] += y
    tick.com[2] += z
    if nf == 0:
        return
    k = tick.momentum
    for i in range(6):
        s = 0.0
        for j in range(nv):
            s += tick.M[i, j] * v[j]
        k[i] = s
    k[0] -= y * k[5] - z * k[4]
    k[1] -= z * k[3] - x * k[5]
    k[2] -= x * k[4] - y * k[3]


@compiled
def assemble(structure, gains, target, q, v, tick):
    """Builds the program of one tick in `tick`; `update_state` comes first."""
    H, g = tick.H, tick.g
    n = g.shape[0]
    for i in range(n):
        g[i] = 0.0
        for j in range(n):
            H[i, j] = 0.0
    apply_known_loads(structure, target, q, tick)
    eliminate(structure, gains, target, v, tick)
    if structure.tree.floating:
        momentum_cost(structure, gains, target, tick, H, g)
    orientation_cost(structure, gains, target, q, v, tick, H, g)
    point_cost(structure, gains, target, q, v, tick, H, g)
    posture_cost(structure, gains, target, q, v, tick, H, g)
    contact_cost(structure, gains, target, v, tick, H, g)
    limits(structure, target, q, v, tick)


@compiled
def recover(
    structure: Structure,
    target: Target,
    tick: Tick,
    z: Vector,
    vdot: Vector,
    tau: Vector,
) -> None:
    """Accelerations and joint torques of a solution z."""
    nv, n = tick.Z.shape
    nj, na = structure.effort.shape[0], structure.free.shape[0]
    nf = nv - nj
    weight = structure.mass * structure.gravity
    for i in range(nv):
        s = tick.z0[i]
        for j in range(n):
            s += tick.Z[i, j] * z[j]
        vdot[i] = s
    for j in range(nj):
        s = tick.bias[nf + j]
        for m in range(nv):
            s += tick.M[nf + j, m] * vdot[m]
        for c in range(structure.contact_body.shape[0]):
            if not target.standing[c]:
                continue
            for i in range(6):
                s -= weight * tick.J[c, i, nf + j] * z[na + 6 * c + i]
        tau[j] = s


@compiled
def is_braced(target: Target) -> bool:
    """Whether all contacts stand and no sole may step."""
    braced = not target.may_step[0]
    for c in range(target.standing.shape[0]):
        braced = braced and target.standing[c]
    return braced


@compiled
def build(bound: Bound[ProgramArguments], q: Vector, v: Vector) -> None:
    """Builds the program of one tick at (q, v) from its bound arguments."""
    of = bound.content
    gains = of.braced if is_braced(of.target) else of.loose
    update_state(of.structure, q, v, of.tick)
    assemble(of.structure, gains, of.target, q, v, of.tick)


@compiled
def recover_bound(
    bound: Bound[ProgramArguments],
    z: Vector,
    vdot: Vector,
    tau: Vector,
) -> None:
    """`recover` of bound arguments."""
    of = bound.content
    recover(of.structure, of.target, of.tick, z, vdot, tau)
