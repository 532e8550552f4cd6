"""The predictive program as its head states it: dense, over a short horizon.

Centroidal dynamics are integrated with the matrices that the program's head names;
everything is read from the Reference, nothing from the program's own assembly.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import piqp

from backbeat.models.contact.cones import PATCH_MARGIN
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.sampling import ReferenceSample

NX = 13


def cross_matrix(r: np.ndarray) -> np.ndarray:
    """S with S x = r x x."""
    return np.cross(r, np.eye(3)).T


@dataclass(frozen=True)
class DenseAnswer:
    """Deviations (N + 1, 12), wrenches (N, C, 6) [weights], stretches (N,) [s]."""

    deviation: np.ndarray
    wrench: np.ndarray
    dilation: np.ndarray


class _Cost(NamedTuple):
    """weight |E z - aim|^2 / 2."""

    name: str
    E: np.ndarray
    weight: float
    aim: float


class DenseHorizon:
    """The quadratic program over the knots of a horizon, in x and u of every knot."""

    def __init__(self, program: PredictiveProgram, phases: np.ndarray) -> None:
        self.w, self.reference = program.weights, program.reference
        self.phases, self.h = phases, np.diff(phases)
        self.N, self.C = len(self.h), len(self.reference.patches)
        self.nu = 6 * self.C + 1
        self.robot = self.reference.robot
        self.knots = [self._sample(s) for s in phases]
        middles = 0.5 * (phases[:-1] + phases[1:])
        self.middles = [self._sample(s) for s in middles]
        self.inertia = [self._inertia(s) for s in middles]

    def _sample(self, s: float) -> ReferenceSample:
        return self.reference.sample(s)

    def _inertia(self, s: float) -> np.ndarray:
        behavior = self.reference.behavior
        columns = behavior.inertia.reshape(-1, 9).T
        return np.array([np.interp(s, behavior.motion.t, c) for c in columns]).reshape(
            3, 3
        )

    def _dynamics(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """x+ = A x + B u of interval k."""
        m, g = self.robot.total_mass, self.robot.gravity
        middle, a, b = self.middles[k], self.knots[k], self.knots[k + 1]
        com = 0.5 * (a.com[0] + b.com[0])
        A, B = np.zeros((NX, NX)), np.zeros((NX, self.nu))
        A[0:3, 3:6] = np.eye(3)
        A[9:12, 6:9] = m * np.linalg.inv(self.inertia[k])
        for c in range(self.C):
            R, arm = middle.R_contact[c], middle.p_contact[c] - com
            o = 6 * c
            # f_ref x dc: the moment arm shortens when the CoM moves.
            A[6:9, 0:3] += g * cross_matrix(R @ middle.wrench[c, 3:])
            B[3:6, o + 3 : o + 6] = g * R
            B[6:9, o + 3 : o + 6] = g * cross_matrix(arm) @ R
            B[6:9, o : o + 3] = g * R
        h = self.h[k]
        Ad = np.eye(NX) + h * A + 0.5 * h**2 * A @ A
        Bd = h * B + 0.5 * h**2 * A @ B
        Bd[:3, -1] = (b.com[0] - a.com[0]) / h
        Bd[3:6, -1] = (b.com[1] - a.com[1]) / h
        Bd[6:9, -1] = (b.momentum[0] - a.momentum[0]) / m / h
        Bd[12, -1] = 1.0
        return Ad, Bd

    def _x(self, k: int) -> slice:
        """Columns of the state at the end of interval k."""
        start = k * (self.nu + NX) + self.nu
        return slice(start, start + NX)

    def _u(self, k: int) -> slice:
        return slice(k * (self.nu + NX), k * (self.nu + NX) + self.nu)

    def _costs(self, blend: float) -> list["_Cost"]:
        """Costs by name, of a robot with so much of balance at stake."""
        w, h = self.w, self.w.spacing
        low = w.com_lowering * blend
        beat = blend * w.beat + (1 - blend) * w.balanced_beat
        n = self.N * (self.nu + NX)
        found = []

        def add(
            name: str,
            columns: np.ndarray,
            rows: np.ndarray,
            weight: float,
            aim: float = 0.0,
        ) -> None:
            """Adds weight * |rows x[columns] - aim|^2 / 2."""
            E = np.zeros((len(rows), n))
            E[:, columns] = rows
            found.append(_Cost(name, E, weight, aim))

        height = self.reference.table.com[:, 0, 2].mean()
        omega = np.sqrt(self.robot.gravity / height)
        for k in range(self.N):
            last = k == self.N - 1
            share = 2.0 if last else h
            x, u = np.arange(n)[self._x(k)], np.arange(n)[self._u(k)]
            theta = u[-1]
            one = np.eye(3)
            add("center of mass away from the soles", x[:2], np.eye(2), w.com * share)
            add(
                "height of the center of mass",
                x[2:3],
                np.eye(1),
                w.height * share,
                -low,
            )
            pace = self.knots[k + 1].com[1] / self.h[k]
            add("velocity", np.r_[x[3:6], theta], np.c_[one, pace], w.velocity * share)
            add("angular momentum", x[6:9], one, w.momentum * share)
            add("rotation of the body", x[9:12], one, w.rotation * share)
            add("time off the beat", x[12:], np.eye(1), beat * share)
            for c in range(self.C):
                at = u[6 * c : 6 * c + 6]
                add("moments", at[:3], one, w.moment * h)
                add("horizontal forces", at[3:5], np.eye(2), w.force * h)
                add("vertical forces", at[5:], np.eye(1), w.vertical * h)
            # Of an interval of another length the rate counts, not the seconds.
            add("time dilation", u[-1:], np.eye(1), w.time_dilation * h**2 / self.h[k])
            if k > 0:
                before = self._u(k - 1).stop - 1
                pair = np.array([before, theta])
                add(
                    "change of the time dilation",
                    pair,
                    h / self.h[None, k - 1 : k + 1] * [1, -1],
                    w.time_dilation_change * h,
                )
            if last:
                plane = np.hstack([one, one / omega])
                add("divergent component at the end", x[:6], plane[:2], w.terminal)
                add(
                    "divergent component at the end", x[:6], plane[2:], w.terminal, -low
                )
        return found

    def costs_of(self, x0: np.ndarray, z: np.ndarray) -> dict[str, float]:
        """Costs by name of inputs and states z (N, NU + NX) from the state x0."""
        found: dict[str, float] = {}
        for cost in self._costs(self._dcm_error_blend(x0)):
            off = cost.E @ z.ravel() - cost.aim
            value = 0.5 * cost.weight * float(off @ off)
            found[cost.name] = found.get(cost.name, 0.0) + value
        return found

    def _dcm_error_blend(self, x0: np.ndarray) -> float:
        """0 for a robot in balance, 1 for one that has nearly lost it."""
        w, height = self.w, self.reference.table.com[0, 0, 2]
        off = np.hypot(*(x0[:2] + x0[3:5] / np.sqrt(self.robot.gravity / height)))
        return float(
            np.clip(
                (off - w.dcm_error_low) / (w.dcm_error_high - w.dcm_error_low), 0, 1
            )
        )

    def _patch_rows(self, name: str) -> np.ndarray:
        patch, w = self.robot.contacts[name], self.w
        X, Y = PATCH_MARGIN * patch.half_length, PATCH_MARGIN * patch.half_width
        mu = w.friction / np.sqrt(2)
        limits = {3: mu, 4: mu, 0: Y, 1: X, 2: w.yaw_moment}
        rows = []
        for axis, limit in limits.items():
            for sign in (1.0, -1.0):
                row = np.zeros(6)
                row[axis], row[5] = sign, -limit
                rows.append(row)
        return np.array(rows)

    def solve(self, x0: np.ndarray) -> DenseAnswer:
        """The optimum from the state x0, to many digits."""
        n = self.N * (self.nu + NX)
        A, b = np.zeros((self.N * NX, n)), np.zeros(self.N * NX)
        G, high, least = [], [], []
        low, up = np.full(n, -1e30), np.full(n, 1e30)
        for k in range(self.N):
            Ad, Bd = self._dynamics(k)
            rows = slice(k * NX, (k + 1) * NX)
            A[rows, self._x(k)], A[rows, self._u(k)] = np.eye(NX), -Bd
            if k == 0:
                b[rows] = Ad @ x0
            else:
                A[rows, self._x(k - 1)] = -Ad
            start = self._u(k).start
            for c, name in enumerate(self.reference.patches):
                planned, columns = self.middles[k].wrench[c], start + 6 * c
                block = self._patch_rows(name)
                wide = np.zeros((len(block), n))
                wide[:, columns : columns + 6] = block
                G.append(wide)
                high.append(-block @ planned)
                least.append(np.full(len(block), -1e30))
                low[columns + 5] = -planned[5]
                up[columns + 5] = self.w.max_force - planned[5]
            theta = self._u(k).stop - 1
            low[theta] = (1 / self.w.max_phase_rate - 1) * self.h[k]
            up[theta] = (1 / self.w.min_phase_rate - 1) * self.h[k]
            if k > 0:
                before = self._u(k - 1).stop - 1
                wide = np.zeros((1, n))
                wide[0, before], wide[0, theta] = -1 / self.h[k - 1], 1 / self.h[k]
                G.append(wide)
                most = np.full(1, self.w.max_phase_rate_change * self.w.spacing)
                high.append(most)
                least.append(-most)
        solver = piqp.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = 1e-11
        solver.settings.max_iter = 200
        limits = np.concatenate(high)
        costs = self._costs(self._dcm_error_blend(x0))
        root = np.vstack([np.sqrt(c.weight) * c.E for c in costs])
        linear = -sum(c.weight * c.aim * c.E.sum(0) for c in costs)
        solver.setup(
            root.T @ root,
            linear,
            A,
            b,
            np.vstack(G),
            np.concatenate(least),
            limits,
            low,
            up,
        )
        assert solver.solve() == piqp.PIQP_SOLVED
        z = np.array(solver.result.x).reshape(self.N, -1)
        planned = np.array([m.wrench for m in self.middles])
        return DenseAnswer(
            deviation=np.vstack([x0, z[:, self.nu :]])[:, :12],
            wrench=planned + z[:, : self.nu - 1].reshape(planned.shape),
            dilation=z[:, self.nu - 1],
        )
