"""Bounds of a program as barriers, elastic where a start may violate them.

A bound c >= 0 (c = g - lower, or upper - g) becomes c + e = s with a slack s > 0
and, where the bound is elastic, an excess e > 0 that costs rho a unit:

    minimize  ... + rho e - mu log s - mu log e,

so z s = mu and (rho - z) e = mu with the multiplier 0 < z < rho of c + e = s. A
guess that violates a bound starts with an excess instead of an infeasible slack,
which would allow only tiny steps; at the end the excess is below mu / (rho - z),
or tells by how much the bound cannot be met. Fiacco, McCormick, "Nonlinear
Programming", 1968 (barriers); Fletcher, "Practical Methods of Optimization",
1987, section 12.3 (exact penalties).
"""

from dataclasses import dataclass, field

import numpy as np

from optimization.program import FREE

# Slacks and excesses keep at least this share of their value in a step.
KEEP = 0.01


@dataclass
class Side:
    """All lower or all upper bounds of a program.

    Attributes:
        bound: (N, rows) bounds.
        sign: +1 for lower bounds, -1 for upper ones.
        rho: (N, rows) cost of an excess; infinite for a hard bound.
        g: (N, rows) rows at the start.
        mu: barrier parameter.
    """

    bound: np.ndarray
    sign: float
    rho: np.ndarray
    g: np.ndarray
    mu: float
    s: np.ndarray = field(init=False)
    e: np.ndarray = field(init=False)
    z: np.ndarray = field(init=False)
    on: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        """Starts slacks inside, with an excess where the start violates a bound."""
        self.on = np.abs(self.bound) < FREE / 2
        self.elastic = self.on & np.isfinite(self.rho)
        c = self.value(self.g)
        self.s = np.where(self.on, np.maximum(c, 0.02), 1.0)
        self.e = np.where(self.elastic, np.maximum(self.s - c, 1e-3), 0.0)
        self.s = np.where(self.elastic, c + self.e, self.s)
        z = np.minimum(self.mu / self.s, 0.5 * self.rho)
        self.z = np.where(self.on, z, 0.0)

    def value(self, g: np.ndarray) -> np.ndarray:
        """Room c of the rows g, one where there is no bound."""
        return np.where(self.on, self.sign * (g - self.bound), 1.0)

    def residual(self, g: np.ndarray, s: np.ndarray, e: np.ndarray) -> np.ndarray:
        """c + e - s."""
        return np.where(self.on, self.value(g) + e - s, 0.0)

    def cost(self, s: np.ndarray, e: np.ndarray, mu: float) -> float:
        """Barriers and the price of excesses."""
        excess = e[self.elastic]
        total = -mu * float(np.log(s[self.on]).sum())
        total -= mu * float(np.log(excess).sum())
        return total + float(self.rho[self.elastic] @ excess)

    def _free(self) -> np.ndarray:
        """rho - z, one where the bound is hard."""
        return np.where(self.elastic, self.rho - self.z, 1.0)

    def linearize(self, mu: float) -> tuple[np.ndarray, np.ndarray]:
        """Stiffness and pull of the rows in the Newton step."""
        free, z = self._free(), np.where(self.on, self.z, 1.0)
        stiffness = 1.0 / (self.s / z + self.e / free)
        self._stiffness = np.where(self.on, stiffness, 0.0)
        shift = self.residual(self.g, self.s, self.e) + self.s - self.e - mu / z
        self._shift = shift + np.where(self.elastic, mu / free, 0.0)
        pull = np.where(self.on, self._stiffness * self._shift - self.z, 0.0)
        return self._stiffness, self.sign * pull

    def step(self, dg: np.ndarray, mu: float) -> tuple[float, float]:
        """Keeps the step for a change dg of the rows; longest primal and dual."""
        free, z = self._free(), np.where(self.on, self.z, 1.0)
        self.dz = -self._stiffness * (self.sign * dg + self._shift)
        self.ds = np.where(self.on, mu / z - self.s - self.s / z * self.dz, 0.0)
        de = (mu + self.e * self.dz) / free - self.e
        self.de = np.where(self.elastic, de, 0.0)
        primal = min(_longest(self.s, self.ds), _longest(self.e, self.de))
        dual = min(_longest(self.z, self.dz), _longest(free, -self.dz * self.elastic))
        return primal, dual

    def move(self, g: np.ndarray, alpha: float, dual: float, mu: float) -> None:
        """Takes the step and keeps multipliers near the central path."""
        self.g = g
        self.s = self.s + alpha * self.ds
        self.e = self.e + alpha * self.de
        z = self.z + dual * self.dz
        near = mu / self.s
        high = np.where(self.elastic, 0.999 * self.rho, np.inf)
        z = np.clip(z, 1e-8 * near, np.minimum(1e8 * near, high))
        self.z = np.where(self.on, z, 0.0)

    def complementarity(self) -> float:
        """Sum of the products of slack and multiplier."""
        return float((self.s * self.z)[self.on].sum())


def _longest(x: np.ndarray, dx: np.ndarray) -> float:
    """Longest step <= 1 that keeps a share of every positive x."""
    falling = dx < -1e-14
    if not falling.any():
        return 1.0
    return min(1.0, (1 - KEEP) * float(np.min(x[falling] / -dx[falling])))
