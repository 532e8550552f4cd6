"""TrajectorySolution: result of the interior-point method, with its violations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.optimization.interior_point.newton_arrays import Multipliers
from backbeat.optimization.transcription.constraints import (
    DYNAMICS,
    REST,
    TARGET,
    RowName,
    Thing,
)
from backbeat.optimization.transcription.transcribe import Transcription

if TYPE_CHECKING:
    import pandas as pd


class Violation(NamedTuple):
    """A constraint that a motion violates.

    Attributes:
        time: of the violation [s].
        name: of the constraint.
        amount: scaled.
        is_between: whether it holds at all knots, and is violated between them.
    """

    time: float
    name: RowName
    amount: float
    is_between: bool = False

    @staticmethod
    def from_plain(plain: Sequence[Any]) -> "Violation":
        """The inverse of `json.dumps`, which writes the tuples as lists."""
        time, (kind, things), amount, is_between = plain
        name = RowName(kind, tuple(Thing(*thing) for thing in things))
        return Violation(time, name, amount, is_between)


@dataclass(frozen=True)
class TrajectorySolution:
    """Knots of a motion with the values of every row at them.

    Attributes:
        transcription: what was solved.
        q: (N, nq) configurations.
        w: (N, C, 6) contact wrenches in contact axes [weights, weights m].
        phi: (N, n_phi) loads of the patches [weights].
        rows: (N, rows) inequality rows.
        equality: (N, nf + n_phi) base dynamics and load residuals.
        frame: (N, P, 6) frame residuals.
        velocity: (N, nv) mean velocity of the interval before each knot.
        multipliers: those of the equalities.
        bound_multipliers: (N, rows) multipliers of upper minus those of lower bounds:
            decrease of the cost per unit that a bound is relaxed by.
        cost: final cost.
        status: "solved", or a sentence with the reason why not.
        log: one entry an iteration.
        solve_time: wall time [s].
    """

    transcription: Transcription
    q: np.ndarray
    w: np.ndarray
    phi: np.ndarray
    rows: np.ndarray
    equality: np.ndarray
    frame: np.ndarray
    velocity: np.ndarray
    multipliers: Multipliers
    bound_multipliers: np.ndarray
    cost: float
    status: str
    log: list[dict[str, float]]
    solve_time: float

    @property
    def is_solved(self) -> bool:
        """Whether the solver converged."""
        return self.status == "solved"

    @property
    def iterations(self) -> "pd.DataFrame":
        """The iteration log as a table."""
        import pandas as pd

        return pd.DataFrame(self.log)

    def violation(self) -> float:
        """Largest violation over all equalities and bounds, scaled."""
        return max((v for _, _, v in self.violations()), default=0.0)

    def all_violations(self, least: float = 1e-4) -> list[Violation]:
        """The worst violation at every knot with more than the least, in order."""
        program = self.transcription.program
        excess = np.maximum(program.lower - self.rows, self.rows - program.upper)
        missed = np.abs(self.frame * program.frame_equal).max(2)
        names = self.transcription.row_names()
        frames = [RowName.of(TARGET.kind, n) for n in self.transcription.frames]
        found = []
        for k, time in enumerate(self.transcription.problem.times):
            i = int(excess[k].argmax())
            worst = Violation(float(time), names[i], float(excess[k, i]))
            if len(frames):
                p = int(missed[k].argmax())
                if missed[k, p] > worst.amount:
                    worst = Violation(float(time), frames[p], float(missed[k, p]))
            if worst.amount > least:
                found.append(worst)
        return found

    def violations(self) -> list[tuple[float, str, float]]:
        """(time [s], name, amount) of the worst violation of each kind, sorted."""
        return [(t.time, str(t.name), t.amount) for t in self.worst_violations()]

    def worst_violations(self) -> list[Violation]:
        """The worst violation of each kind, the largest first."""
        program = self.transcription.program
        times = self.transcription.problem.times
        worst: list[Violation] = []
        excess = np.maximum(program.lower - self.rows, self.rows - program.upper)
        excess = np.where(
            (program.lower > -UNBOUNDED / 2) | (program.upper < UNBOUNDED / 2),
            excess,
            0.0,
        )
        names = self.transcription.row_names()
        for kind in dict.fromkeys(n.kind for n in names):
            columns = [i for i, n in enumerate(names) if n.kind == kind]
            part = excess[:, columns]
            k, i = np.unravel_index(np.argmax(part), part.shape)
            worst.append(Violation(times[k], names[columns[i]], float(part[k, i])))
        required = np.abs(self.frame * program.frame_equal)
        if required.size:
            k, p, i = np.unravel_index(np.argmax(required), required.shape)
            name = RowName.of(TARGET.kind, self.transcription.frames[p])
            worst.append(Violation(times[k], name, float(required[k, p, i])))
        if self.equality.size:
            residual = np.abs(self.equality[1:-1])
            k, i = np.unravel_index(np.argmax(residual), residual.shape)
            name = RowName.of(DYNAMICS.kind, "the base")
            worst.append(Violation(times[k + 1], name, float(residual[k, i])))
        if program.rest_scale > 0:
            moving = program.rest_scale * np.abs(self.velocity[-1]).max()
            worst.append(Violation(times[-1], RowName(REST.kind), float(moving)))
        return sorted(worst, key=lambda violation: -violation.amount)
