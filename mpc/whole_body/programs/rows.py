"""Rows of the tasks, compiled: each is an entry of T z - y, and its square a cost.

Tasks write rows, and H and g of the program are made of them. T and y follow from the
accelerations vdot = Z z + z0 of `backbeat.mpc.whole_body.programs.limb_elimination`.
"""

from backbeat.models.compiled import compiled


@compiled
def new_row(rows, task, of, weight):
    """Starts a row of zeros; its index.

    Args:
        rows: `ProgramRows`, written.
        task: which task it is of.
        of: index of the body, point or contact that it moves.
        weight: on the square of the row.
    """
    k = _numbered(rows, task, of, weight, -1)
    T = rows.T[k]
    for j in range(T.shape[0]):
        T[j] = 0.0
    return k


@compiled
def _numbered(rows, task, of, weight, unit):
    """The index of the next row."""
    k = rows.used[0]
    rows.used[0] = k + 1
    rows.task[k, 0], rows.task[k, 1], rows.unit[k] = task, of, unit
    rows.weight[k] = weight
    return k


@compiled
def unit_row(rows, task, of, weight, z, wanted):
    """Writes a row of one unknown z of the program, and what it shall be."""
    k = _numbered(rows, task, of, weight, z)
    rows.y[k], rows.wanted[k] = wanted, wanted


@compiled
def of_accelerations(rows, k, work, J, y):
    """Writes to row k that J vdot shall be y, with J (nv,) of all accelerations."""
    nv, n = work.Z.shape
    T, rest = rows.T[k], y
    for m in range(nv):
        x = J[m]
        if x != 0.0:
            rest -= x * work.z0[m]
            for j in range(n):
                T[j] += x * work.Z[m, j]
    rows.y[k] = rest


@compiled
def on_axes(shares, R, e):
    """Multiplies e (3,) by a share about each axis of R."""
    x, y, z = shares
    if x == 1.0 and y == 1.0 and z == 1.0:
        return
    a = x * (R[0, 0] * e[0] + R[1, 0] * e[1] + R[2, 0] * e[2])
    b = y * (R[0, 1] * e[0] + R[1, 1] * e[1] + R[2, 1] * e[2])
    c = z * (R[0, 2] * e[0] + R[1, 2] * e[1] + R[2, 2] * e[2])
    for i in range(3):
        e[i] = R[i, 0] * a + R[i, 1] * b + R[i, 2] * c


@compiled
def accumulate(rows, H, g):
    """Writes the H and g of all rows: weight |T z - y|^2 / 2 each."""
    n = g.shape[0]
    for i in range(n):
        g[i] = 0.0
        for j in range(i, n):
            H[i, j] = 0.0
    for k in range(rows.used[0]):
        weight, y, z = rows.weight[k], rows.y[k], rows.unit[k]
        if z >= 0:
            H[z, z] += weight
            g[z] -= weight * y
            continue
        T = rows.T[k]
        for i in range(n):
            x = weight * T[i]
            if x != 0.0:
                g[i] -= x * y
                for j in range(i, n):
                    H[i, j] += x * T[j]
    for i in range(n):
        for j in range(i):
            H[i, j] = H[j, i]
