"""Assembly of the whole-body quadratic program, compiled.

The state first, then limbs and base as functions of the unknowns, then tasks and
limits; `backbeat.mpc.whole_body.programs.limb_elimination` has the notation.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Vector
from backbeat.models.compiled.bound import Bound
from backbeat.models.dynamics.composites import mass_matrix
from backbeat.models.dynamics.edges import level_pitch
from backbeat.models.dynamics.kinematics import (
    base_position,
    frame_acceleration,
    frame_jacobian,
    frame_pose,
)
from backbeat.models.dynamics.recursion import backward_pass, body_forces, forward_pass
from backbeat.models.dynamics.rolling import add_pivot_acceleration, level, roll
from backbeat.mpc.whole_body.programs.arguments import (
    ModelData,
    ProgramArguments,
    ProgramWorkspace,
    Target,
)
from backbeat.mpc.whole_body.programs.limb_elimination import eliminate
from backbeat.mpc.whole_body.programs.limits import limits
from backbeat.mpc.whole_body.programs.rows import accumulate
from backbeat.mpc.whole_body.programs.tasks import write_tasks


@compiled
def _see_contact(model, q, work, c, J, a):
    """Writes where contact c is and how it moves; J (6, nv) and a (6,) are scratch."""
    tree, ws, nv = model.tree, work.ws, J.shape[1]
    body, R, r = model.contact_body[c], work.R[c], work.r[c]
    frame_pose(tree, ws, q, body, model.contact_R[c], model.contact_p[c], R, r)
    rolls, up, tilted = model.contact_rolls[c], np.zeros(3), np.empty((3, 3))
    if rolls > 0.0:
        up[2] = 1.0
        roll(R, up, rolls, a[:3], a[3:])
        for i in range(3):
            r[i] += a[i]
            for k in range(3):
                tilted[i, k] = R[i, k]
        level(tilted, up, R)
    edge = work.edge[c]
    if edge != 0.0:
        for i in range(3):
            r[i] += edge * R[i, 0]
            for k in range(3):
                tilted[i, k] = R[i, k]
        work.pitch[c] = level_pitch(tilted, R)
    frame_jacobian(tree, ws, body, r, J)
    frame_acceleration(ws, body, r, model.gravity, a)
    if rolls > 0.0:
        add_pivot_acceleration(tilted, up, rolls, ws.V[body, :3], a[3:])
    for i in range(3):
        work.Jdv[c, i] = R[0, i] * a[0] + R[1, i] * a[1] + R[2, i] * a[2]
        work.Jdv[c, 3 + i] = R[0, i] * a[3] + R[1, i] * a[4] + R[2, i] * a[5]
        for j in range(nv):
            work.J[c, i, j] = R[0, i] * J[0, j] + R[1, i] * J[1, j] + R[2, i] * J[2, j]
            work.J[c, 3 + i, j] = (
                R[0, i] * J[3, j] + R[1, i] * J[4, j] + R[2, i] * J[5, j]
            )


@compiled
def update_state(
    model: ModelData, q: Vector, v: Vector, work: ProgramWorkspace
) -> None:
    """Dynamics, contacts, center of mass and momentum at (q, v)."""
    tree, ws = model.tree, work.ws
    nv = v.shape[0]
    forward_pass(tree, q, v, np.zeros(nv), model.gravity, ws, False)
    J = np.empty((6, nv))
    a = np.empty(6)
    for c in range(model.contact_body.shape[0]):
        _see_contact(model, q, work, c, J, a)
    frame_pose(
        tree,
        ws,
        q,
        model.trunk_body,
        model.trunk_R,
        model.trunk_p,
        work.R_trunk,
        np.empty(3),
    )
    body_forces(tree, ws, False)
    backward_pass(tree, ws, work.bias, False)
    mass_matrix(tree, ws, work.M)
    nf = nv - model.effort.shape[0]
    for j in range(model.effort.shape[0]):
        work.bias[nf + j] += model.damping[j] * v[nf + j]
    base_position(tree, q, work.com)
    x, y, z = ws.h[0, 0] / ws.m[0], ws.h[0, 1] / ws.m[0], ws.h[0, 2] / ws.m[0]
    work.com[0] += x
    work.com[1] += y
    work.com[2] += z
    if nf == 0:
        return
    k = work.momentum
    for i in range(6):
        s = 0.0
        for j in range(nv):
            s += work.M[i, j] * v[j]
        k[i] = s
    k[0] -= y * k[5] - z * k[4]
    k[1] -= z * k[3] - x * k[5]
    k[2] -= x * k[4] - y * k[3]


@compiled
def apply_known_loads(model, target, q, work):
    """Takes the known loads on points off the bias forces."""
    nv = work.bias.shape[0]
    R = np.empty((3, 3))
    r = np.empty(3)
    J = np.empty((6, nv))
    for p in range(model.point_body.shape[0]):
        f = target.point_force[p]
        if f[0] == 0.0 and f[1] == 0.0 and f[2] == 0.0:
            continue
        body = model.point_body[p]
        frame_pose(model.tree, work.ws, q, body, np.eye(3), model.point_p[p], R, r)
        frame_jacobian(model.tree, work.ws, body, r, J)
        for j in range(nv):
            work.bias[j] -= J[3, j] * f[0] + J[4, j] * f[1] + J[5, j] * f[2]


@compiled
def assemble(model, gains, target, q, v, work):
    """Builds the program of one tick in `work`; `update_state` comes first."""
    apply_known_loads(model, target, q, work)
    eliminate(model, gains, target, v, work)
    write_tasks(model, gains, target, q, v, work)
    accumulate(work.rows, work.H, work.g)
    limits(model, target, q, v, work)


@compiled
def recover(
    model: ModelData,
    target: Target,
    work: ProgramWorkspace,
    z: Vector,
    vdot: Vector,
    tau: Vector,
) -> None:
    """Accelerations and joint torques of a solution z."""
    nv, n = work.Z.shape
    nj, na = model.effort.shape[0], model.free.shape[0]
    nf = nv - nj
    weight = model.mass * model.gravity
    for i in range(nv):
        s = work.z0[i]
        for j in range(n):
            s += work.Z[i, j] * z[j]
        vdot[i] = s
    for j in range(nj):
        s = work.bias[nf + j]
        for m in range(nv):
            s += work.M[nf + j, m] * vdot[m]
        for c in range(model.contact_body.shape[0]):
            if not target.standing[c]:
                continue
            for i in range(6):
                s -= weight * work.J[c, i, nf + j] * z[na + 6 * c + i]
        tau[j] = s


@compiled
def uses_stance_gains(target: Target) -> bool:
    """Whether all contacts stand and no sole may step."""
    stance = not target.may_step[0]
    for c in range(target.standing.shape[0]):
        stance = stance and target.standing[c]
    return stance


@compiled
def build(bound: Bound[ProgramArguments], q: Vector, v: Vector) -> None:
    """Builds the program of one tick at (q, v) from its bound arguments."""
    of = bound.content
    gains = of.stance if uses_stance_gains(of.target) else of.stepping
    for c in range(of.target.standing.shape[0]):
        of.work.edge[c] = of.target.edge[c] if of.target.standing[c] else 0.0
    update_state(of.model, q, v, of.work)
    assemble(of.model, gains, of.target, q, v, of.work)


@compiled
def recover_bound(
    bound: Bound[ProgramArguments],
    z: Vector,
    vdot: Vector,
    tau: Vector,
) -> None:
    """`recover` of bound arguments."""
    of = bound.content
    recover(of.model, of.target, of.work, z, vdot, tau)
