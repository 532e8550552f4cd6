"""TrajectorySolution: what the interior point found, able to check itself."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from backbeat.optimization.interior_point.newton_arrays import Multipliers
from backbeat.optimization.transcription.program import CONE_ROWS, FREE
from backbeat.optimization.transcription.transcribe import Transcription


@dataclass(frozen=True)
class RowName:
    """What an inequality row or equality of the program is about."""

    kind: str
    what: str

    def __str__(self) -> str:
        """Readable name, e.g. "torque of JOINT"."""
        return f"{self.kind} of {self.what}"


class Trouble(NamedTuple):
    """What a motion could not meet.

    Attributes:
        time: when [s].
        what: a name of what it is about.
        amount: by how much, scaled.
        is_between: whether all knots met it, and what is between them did not.
    """

    time: float
    what: str
    amount: float
    is_between: bool = False


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
        price: (N, rows) multipliers of upper minus those of lower bounds: what the
            cost would fall by for a unit more room.
        cost: final cost.
        status: "solved", or a sentence that says why not.
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
    price: np.ndarray
    cost: float
    status: str
    log: list[dict[str, float]]
    solve_time: float

    @property
    def is_solved(self) -> bool:
        """Whether the solver converged."""
        return self.status == "solved"

    @property
    def iterations(self) -> pd.DataFrame:
        """The iteration log as a table."""
        return pd.DataFrame(self.log)

    def violation(self) -> float:
        """Largest violation over all equalities and bounds, scaled."""
        return max((v for _, _, v in self.violations()), default=0.0)

    def troubles(self, least: float = 1e-4) -> list[Trouble]:
        """The worst violation at every knot with more than the least, in order."""
        program = self.transcription.program
        excess = np.maximum(program.lower - self.rows, self.rows - program.upper)
        missed = np.abs(self.frame * program.frame_equal).max(2)
        names = self.row_names()
        frames = [f"target of {name}" for name in self.transcription.frames]
        found = []
        for k, time in enumerate(self.transcription.problem.times):
            i = int(excess[k].argmax())
            worst = Trouble(float(time), str(names[i]), float(excess[k, i]))
            if len(frames):
                p = int(missed[k].argmax())
                if missed[k, p] > worst.amount:
                    worst = Trouble(float(time), frames[p], float(missed[k, p]))
            if worst.amount > least:
                found.append(worst)
        return found

    def violations(self) -> list[tuple[float, str, float]]:
        """(time [s], name, amount) of the worst violation of each kind, sorted."""
        program = self.transcription.program
        times = self.transcription.problem.times
        worst: list[tuple[float, str, float]] = []
        excess = np.maximum(program.lower - self.rows, self.rows - program.upper)
        excess = np.where(
            (program.lower > -FREE / 2) | (program.upper < FREE / 2), excess, 0.0
        )
        names = self.row_names()
        for kind in dict.fromkeys(n.kind for n in names):
            columns = [i for i, n in enumerate(names) if n.kind == kind]
            part = excess[:, columns]
            k, i = np.unravel_index(np.argmax(part), part.shape)
            worst.append((times[k], str(names[columns[i]]), float(part[k, i])))
        required = np.abs(self.frame * program.frame_equal)
        if required.size:
            k, p, i = np.unravel_index(np.argmax(required), required.shape)
            frame = self.transcription.frames[p]
            worst.append((times[k], f"target of {frame}", float(required[k, p, i])))
        if self.equality.size:
            residual = np.abs(self.equality[1:-1])
            k, i = np.unravel_index(np.argmax(residual), residual.shape)
            worst.append((times[k + 1], "dynamics of the base", float(residual[k, i])))
        if program.rest_scale > 0:
            moving = program.rest_scale * np.abs(self.velocity[-1]).max()
            worst.append((times[-1], "rest at the end", float(moving)))
        return sorted(worst, key=lambda x: -x[2])

    def row_names(self) -> list[RowName]:
        """Name of each inequality row."""
        joints = self.transcription.problem.robot.joint_names
        contacts = self.transcription.contacts
        program = self.transcription.program
        names = [RowName("torque", j) for j in joints]
        names += [RowName("position", j) for j in joints]
        names += [RowName("velocity", j) for j in joints]
        names += [RowName("friction", c) for c in contacts for _ in range(CONE_ROWS)]
        names += [RowName("normal force", c) for c in contacts]
        for frame in self.transcription.frames:
            names += [RowName("task bound", frame)] * 6
        for kind in ("distance", "distance between knots"):
            for feeler in self.transcription.problem.collisions.feelers:
                names.append(RowName(kind, f"{feeler.link} ({feeler.part})"))
        names += [RowName("force rate", contacts[c]) for c in program.rated]
        return [*names, RowName("total force", "all contacts")]
