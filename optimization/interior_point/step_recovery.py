"""Wrenches and rows of a Newton step, from the step of the blocks."""

import numpy as np

from backbeat.models.collision.shapes import FAR
from backbeat.models.compiled import compiled
from backbeat.models.contact.cones import CONE_ROWS
from backbeat.optimization.interior_point.newton_arrays import NewtonArrays
from backbeat.optimization.transcription.linearization_arrays import (
    Evaluation,
    Linearization,
)
from backbeat.optimization.transcription.program import Program


@compiled
def recover(
    program: Program, values: Evaluation, derivatives: Linearization, step: NewtonArrays
) -> None:
    """Recovers wrench steps and the changes of all rows from step.dx."""
    N, nb = step.dx.shape
    nv = derivatives.com.shape[2]
    nf = 6 if program.tree.floating else 0
    rows = program.rows
    z = np.zeros(derivatives.dynamics.shape[2])
    u = np.empty(step.factor.shape[1])
    for k in range(N):
        if 0 < k < N - 1:
            nw = program.num_wrench[k]
            for b in range(3):
                for i in range(nb):
                    z[nb * b + i] = step.dx[k - 1 + b, i]
            for i in range(nw):
                s = -step.load[k, i]
                row = step.coupling[k, i]
                for j in range(3 * nb):
                    s -= row[j] * z[j]
                u[i] = s
            for i in range(nw - 1, -1, -1):
                s = u[i]
                for m in range(i + 1, nw):
                    s -= step.factor[k, m, i] * u[m]
                u[i] = s / step.factor[k, i, i]
                z[3 * nb + i] = u[i]
            _recover_wrenches(program, k, u, step)
            for i in range(derivatives.dynamics.shape[1]):
                s = 0.0
                row = derivatives.dynamics[k, i]
                for j in range(3 * nb + nw):
                    s += row[j] * z[j]
                if i < nf:
                    step.d_equality[k, i] = s
                elif i < nv:
                    step.d_rows[k, rows.torque + i - nf] = s
                elif i >= nb:
                    step.d_rows[k, rows.motor + i - nb] = s
                else:
                    step.d_equality[k, i - nv + nf] = s if k > 1 else 0.0
        _recover_local(program, values, derivatives, k, step)


@compiled
def _recover_wrenches(program, k, u, step):
    for c in range(program.wrench_first.shape[0]):
        start, first = program.wrench_start[k, c], program.wrench_first[c]
        for i in range(6):
            on = start >= 0 and i >= first
            step.dw[k, c, i] = u[start + i - first] if on else 0.0
        cone = program.cone[program.cone_of[k, c], c]
        for r in range(CONE_ROWS):
            s = 0.0
            for i in range(6):
                s += cone[r, i] * step.dw[k, c, i]
            step.d_rows[k, program.rows.cone + c * CONE_ROWS + r] = s
        step.d_rows[k, program.rows.normal + c] = step.dw[k, c, 5]


@compiled
def _recover_local(program, values, derivatives, k, step):
    nv = derivatives.com.shape[2]
    nf = 6 if program.tree.floating else 0
    rows, n_phi = program.rows, program.rated.shape[0]
    for j in range(program.effort.shape[0]):
        step.d_rows[k, rows.position + j] = step.dx[k, nf + j]
        if k > 0:
            change = step.dx[k, nf + j] - step.dx[k - 1, nf + j]
            step.d_rows[k, rows.velocity + j] = change / program.span[k - 1]
    total = 0.0
    for n in range(n_phi):
        total += step.dx[k, nv + n]
        if k > 0:
            step.d_rows[k, rows.rate + n] = step.dx[k, nv + n] - step.dx[k - 1, nv + n]
    step.d_rows[k, rows.total] = total
    for f in range(program.collisions.body.shape[0]):
        s = 0.0
        # A sphere far from everything does not move any nearer.
        if program.sphere_on[k, f] and values.rows[k, rows.collision + f] < FAR:
            for j in range(nv):
                s += derivatives.collision[k, f, j] * step.dx[k, j]
        step.d_rows[k, rows.collision + f] = s
        s = 0.0
        if program.midpoint_on[k, f] and values.rows[k, rows.midpoint + f] < FAR:
            for j in range(nv):
                s += derivatives.midpoint[k, f, j] * (step.dx[k, j] + step.dx[k - 1, j])
        step.d_rows[k, rows.midpoint + f] = 0.5 * s
    for p in range(program.frame_body.shape[0]):
        for i in range(6):
            s = 0.0
            if program.frame_used[k, p]:
                for j in range(nv):
                    s += derivatives.frame[k, p, i, j] * step.dx[k, j]
            step.d_frame[k, p, i] = s
            step.d_rows[k, rows.frame + 6 * p + i] = s
