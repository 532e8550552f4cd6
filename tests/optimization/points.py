"""Points of a program, away from any solution, and differences around them."""

from dataclasses import replace

import numpy as np
from pydrake.multibody.tree import MultibodyForces

from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.transcription.linearization import evaluate
from backbeat.optimization.transcription.linearization_arrays import (
    Evaluation,
    Linearization,
    make_evaluation,
    make_linearization,
    make_scratch,
)
from backbeat.optimization.transcription.transcribe import Transcription


class Point:
    """Variables of a transcribed problem with a way to move each of them.

    The variables are counted knot by knot: the block (tangent increment, loads)
    of every knot first, then the active wrench components of every knot.
    """

    def __init__(self, transcription: Transcription, seed: int, spread: float = 0.05):
        self.transcription = transcription
        self.program = program = transcription.program
        problem = transcription.problem
        rng = np.random.default_rng(seed)
        N, C = len(program.dt), len(program.wrench_first)
        self.nv, self.n_phi = len(program.velocity_weight), len(program.rated)
        self.nb = self.nv + self.n_phi
        self.floating = bool(program.tree.floating)
        self.q = np.tile(problem.q_start, (N, 1))
        for k in range(N):
            d = spread * rng.normal(size=self.nv)
            box_plus(self.q[k], d, 1.0, self.floating, self.q[k])
        self.w = rng.normal(size=(N, C, 6)) * [0.02, 0.02, 0.02, 0.1, 0.1, 0.3]
        self.phi = rng.normal(size=(N, self.n_phi)) * 0.3
        self.slots = [
            (k, c, i)
            for k in range(N)
            for c in range(C)
            if program.wrench_start[k, c] >= 0
            for i in range(program.wrench_first[c], 6)
        ]
        for k in range(N):
            for c in range(C):
                first = (
                    program.wrench_first[c] if program.wrench_start[k, c] >= 0 else 6
                )
                self.w[k, c, :first] = 0.0
        self.size = N * self.nb + len(self.slots)
        self._memory = (
            make_scratch(program),
            make_evaluation(program),
            make_linearization(program),
        )

    def at(self, solution: TrajectorySolution) -> "Point":
        """Itself, moved to a solution."""
        self.q, self.w = solution.q.copy(), solution.w.copy()
        self.phi = solution.w[:, self.program.rated, 5].copy()
        self.phi[0] = self.phi[1]
        return self

    def column(self, k: int, c: int, i: int) -> int:
        """Variable of a wrench component."""
        return len(self.program.dt) * self.nb + self.slots.index((k, c, i))

    def evaluate(self, d: np.ndarray | None = None) -> tuple[float, Evaluation]:
        """Cost and a copy of the values after a step d of all variables."""
        q, w, phi = self.q.copy(), self.w.copy(), self.phi.copy()
        if d is not None:
            blocks = d[: len(q) * self.nb].reshape(len(q), self.nb)
            for k in range(len(q)):
                box_plus(self.q[k], blocks[k, : self.nv], 1.0, self.floating, q[k])
            phi += blocks[:, self.nv :]
            for slot, change in zip(self.slots, d[len(q) * self.nb :], strict=True):
                w[slot] += change
        scratch, values, derivatives = self._memory
        cost = evaluate(self.program, q, w, phi, scratch, values, derivatives, False)
        return float(cost), Evaluation(*(a.copy() for a in values))

    def linearize(self) -> tuple[Evaluation, Linearization]:
        """Values and analytic derivatives here."""
        program = self.program
        values, derivatives = make_evaluation(program), make_linearization(program)
        scratch = make_scratch(program)
        evaluate(program, self.q, self.w, self.phi, scratch, values, derivatives, True)
        return values, derivatives

    def acceleration(self, values: Evaluation) -> np.ndarray:
        """(N, nv) accelerations at the knots between the first and the last."""
        a = np.zeros_like(values.velocity)
        steps = np.diff(values.velocity[1:], axis=0)
        a[1:-1] = steps / self.program.dt[1:-1, None]
        return a

    def differences(self) -> dict[str, np.ndarray]:
        """Derivatives of all values against all variables, by central differences.

        Fourth order, step 1e-4; shapes are those of the values and (size,).
        """
        step, columns = 1e-4, {}
        for j in range(self.size):
            d = np.zeros(self.size)
            parts = []
            for amount in (step, -step, 2 * step, -2 * step):
                d[j] = amount
                cost, values = self.evaluate(d)
                found = values._asdict() | {
                    "cost": np.array(cost),
                    "acceleration": self.acceleration(values),
                }
                parts.append(found)
            for name in parts[0]:
                a, b, c, e = (p[name] for p in parts)
                column = (8 * (a - b) - (c - e)) / (12 * step)
                columns.setdefault(name, []).append(column)
        return {name: np.stack(c, axis=-1) for name, c in columns.items()}


def missing_forces(point: Point, values: Evaluation, k: int) -> np.ndarray:
    """(nv,) inverse dynamics minus contact wrenches at knot k, by Drake [N, N m]."""
    problem, program = point.transcription.problem, point.program
    robot, plant = problem.robot, problem.robot.plant
    before, after = program.h[k - 1], program.h[k]
    d0, d1 = values.velocity[k], values.velocity[k + 1]
    v = (after * d0 + before * d1) / (before + after)
    context = plant.CreateDefaultContext()
    plant.SetPositionsAndVelocities(context, np.r_[point.q[k], v])
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    vdot = 2 * (d1 - d0) / (before + after)
    tau = plant.CalcInverseDynamics(context, vdot, forces)
    state = Configuration(robot, point.q[k])
    for c, name in enumerate(point.transcription.contacts):
        if program.wrench_start[k, c] >= 0:
            R = program.R_WG[k, c]
            w = robot.weight * point.w[k, c]
            frame = state.touching(name)
            e = program.frame_edge[k, c] * np.array([1.0, 0.0, 0.0])
            # About where the edge would have the middle of the sole if it were flat.
            flat = e - state.pose(name).rotation().matrix().T @ R @ e
            frame = replace(frame, p_PF=frame.p_PF + frame.R_PF @ flat)
            tau -= state.jacobian(frame).T @ np.r_[R @ w[:3], R @ w[3:]]
    return tau
