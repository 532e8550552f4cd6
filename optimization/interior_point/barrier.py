"""Barriers of a program's bounds, elastic where an initial guess may violate them.

A bound c >= 0 (c = g - lower, or upper - g) becomes c + e = s with a slack s > 0
and, where the bound is elastic, an excess e > 0 that costs rho a unit:

    minimize  ... + rho e - mu log s - mu log e,

so z s = mu and (rho - z) e = mu with the multiplier 0 < z < rho of c + e = s. A
guess that violates a bound starts with an excess instead of an infeasible slack,
which would allow only tiny steps; at the end the excess is below mu / (rho - z),
or equals the violation of a bound that cannot be met. Fiacco, McCormick, "Nonlinear
Programming", 1968 (barriers); Fletcher, "Practical Methods of Optimization",
1987, section 12.3 (exact penalties).
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Flags, Vector
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.optimization.transcription.constraints import ROWS
from backbeat.optimization.transcription.program import Program

# Fraction of their values that slacks and excesses keep in a step, at least.
KEEP = 0.01
# Smaller changes do not limit the step.
STILL = 1e-14


class SlackValues(NamedTuple):
    """Where n bounds are in the interior."""

    s: Vector  # (n,) slacks
    e: Vector  # (n,) excesses
    z: Vector  # (n,) multipliers
    rho: Vector  # (n,) cost of an excess
    elastic: Flags  # (n,) whether an excess is allowed


class SlackSteps(NamedTuple):
    """Newton step of n bounds."""

    ds: Vector
    de: Vector
    dz: Vector


@dataclass
class BoundBarrier:
    """All lower or all upper bounds of a program.

    Attributes:
        bound: (N, rows) bounds.
        sign: +1 for lower bounds, -1 for upper ones.
        rho: (N, rows) cost of an excess; infinite for a hard bound.
        g: (N, rows) rows at the start.
        mu: barrier parameter.
        on: (n,) flat indices of the rows that have a bound; what follows is theirs.
        elastic: (n,) whether an excess is allowed.
        s, e, z: (n,) slacks, excesses and multipliers.
    """

    bound: np.ndarray
    sign: float
    rho: np.ndarray
    g: np.ndarray
    mu: float
    on: np.ndarray = field(init=False)
    elastic: np.ndarray = field(init=False)
    s: np.ndarray = field(init=False)
    e: np.ndarray = field(init=False)
    z: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        """Starts slacks inside, with an excess where the start violates a bound."""
        self.on = np.flatnonzero(np.abs(self.bound) < UNBOUNDED / 2)
        self.bound, self.rho = self.bound.ravel()[self.on], self.rho.ravel()[self.on]
        c = self.value(self.g)
        # Compiled code with fast arithmetic cannot test for infinity.
        self.elastic = elastic = np.isfinite(self.rho)
        self.s = np.maximum(c, 0.02)
        self.e = np.where(elastic, np.maximum(self.s - c, 1e-3), 0.0)
        self.s = np.where(elastic, c + self.e, self.s)
        self.z = np.minimum(self.mu / self.s, 0.5 * self.rho)
        self.ds, self.de, self.dz, self._stiffness, self._shift = np.zeros(
            (5, len(self.on))
        )

    def _now(self) -> SlackValues:
        return SlackValues(self.s, self.e, self.z, self.rho, self.elastic)

    def _steps(self) -> SlackSteps:
        return SlackSteps(self.ds, self.de, self.dz)

    def value(self, g: np.ndarray) -> np.ndarray:
        """(n,) room c of the rows g."""
        return self.sign * (g.ravel()[self.on] - self.bound)

    def trial(self, g: np.ndarray, alpha: float, mu: float) -> tuple[float, float]:
        """Infeasibility |c + e - s| and barriers after a share alpha of the step."""
        theta, cost = _trial(self.value(g), self._now(), self._steps(), alpha, mu)
        return float(theta), float(cost)

    def linearize(self, mu: float, stiffness: np.ndarray, pull: np.ndarray) -> None:
        """Adds stiffness and pull of the rows in the Newton step to (N, rows) each."""
        _linearize(self.value(self.g), self._now(), mu, self._stiffness, self._shift)
        stiffness.reshape(-1)[self.on] += self._stiffness
        pulls = self.sign * (self._stiffness * self._shift - self.z)
        pull.reshape(-1)[self.on] += pulls

    def step(self, dg: np.ndarray, mu: float) -> tuple[float, float]:
        """Keeps the step for a change dg of the rows; longest primal and dual."""
        self.dz = -self._stiffness * (self.sign * dg.ravel()[self.on] + self._shift)
        primal, dual = _step(self._now(), mu, self._steps())
        return float(primal), float(dual)

    def move(self, g: np.ndarray, alpha: float, dual: float, mu: float) -> None:
        """Takes the step and keeps multipliers near the central path."""
        self.g = g
        self.s += alpha * self.ds
        self.e += alpha * self.de
        near = mu / self.s
        high = np.minimum(1e8 * near, 0.999 * self.rho)
        self.z = np.clip(self.z + dual * self.dz, 1e-8 * near, high)

    def multipliers(self) -> np.ndarray:
        """(N, rows) multipliers: derivative of the cost with respect to the bound."""
        out = np.zeros(self.g.size)
        out[self.on] = self.sign * self.z
        return out.reshape(self.g.shape)

    def complementarity(self) -> float:
        """Sum of the products of slack and multiplier."""
        return float(self.s @ self.z)


def make_barriers(
    program: Program, rows: np.ndarray, mu: float, excess_cost: float
) -> tuple[BoundBarrier, ...]:
    """Barriers of all bounds of a program at given rows.

    Args:
        program: the program.
        rows: (N, rows) its rows at the point.
        mu: barrier parameter.
        excess_cost: cost of a unit of excess over an elastic bound.
    """
    rho = _excess_costs(program, excess_cost)
    return tuple(
        BoundBarrier(bound, sign, rho, rows.copy(), mu)
        for bound, sign in ((program.lower, 1.0), (program.upper, -1.0))
    )


def _excess_costs(program: Program, excess_cost: float) -> np.ndarray:
    """(N, rows) cost of an excess; infinite where none is allowed."""
    firsts = program.rows
    sizes = np.diff(firsts)
    elastic = np.repeat([ROWS[key].is_elastic for key in firsts._fields[:-1]], sizes)
    rho = np.where(elastic, excess_cost, np.inf)
    return np.tile(rho, (len(program.lower), 1))


@compiled
def _trial(
    c: Vector, now: SlackValues, step: SlackSteps, alpha: float, mu: float
) -> tuple[float, float]:
    """Sum of |c + e - s| and the cost of barriers and excesses."""
    theta = 0.0
    cost = 0.0
    for i in range(c.shape[0]):
        si = now.s[i] + alpha * step.ds[i]
        ei = now.e[i] + alpha * step.de[i]
        theta += abs(c[i] + ei - si)
        cost -= mu * np.log(si)
        if now.elastic[i]:
            cost += now.rho[i] * ei - mu * np.log(ei)
    return theta, cost


@compiled
def _linearize(
    c: Vector, now: SlackValues, mu: float, stiffness: Vector, shift: Vector
) -> None:
    """Eliminates slack and excess: z + dz = z - stiffness (dc + shift)."""
    s, e, z, rho = now.s, now.e, now.z, now.rho
    for i in range(c.shape[0]):
        x = s[i] / z[i]
        y = c[i] - mu / z[i]
        if now.elastic[i]:
            x += e[i] / (rho[i] - z[i])
            y += mu / (rho[i] - z[i])
        stiffness[i] = 1 / x
        shift[i] = y


@compiled
def _step(now: SlackValues, mu: float, step: SlackSteps) -> tuple[float, float]:
    """Steps of slacks and excesses, and the longest steps that keep all positive."""
    s, e, z, rho = now.s, now.e, now.z, now.rho
    ds, de, dz = step.ds, step.de, step.dz
    primal = 1.0
    dual = 1.0
    for i in range(s.shape[0]):
        ds[i] = (mu - s[i] * dz[i]) / z[i] - s[i]
        primal = min(primal, _longest(s[i], ds[i]))
        dual = min(dual, _longest(z[i], dz[i]))
        if now.elastic[i]:
            free = rho[i] - z[i]
            de[i] = (mu + e[i] * dz[i]) / free - e[i]
            primal = min(primal, _longest(e[i], de[i]))
            dual = min(dual, _longest(free, -dz[i]))
    return primal, dual


@compiled
def _longest(x, dx):
    """Longest step that keeps a share of a positive x."""
    if dx >= -STILL:
        return 1.0
    return (1 - KEEP) * x / -dx
