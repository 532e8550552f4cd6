"""`python -m benchmarks.offline`: the trajectory optimizer against Crocoddyl."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from backbeat.models.collision.shapes import NOTHING
from backbeat.models.common.errors import BackbeatError
from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.interior_point.options import InteriorPointOptions
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem
from backbeat.optimization.transcription.transcribe import Transcription
from benchmarks.crocoddyl.peer import Crocoddyl
from benchmarks.environment import CacheFolder, make_environment
from benchmarks.measurement import (
    Case,
    Timing,
    fitted_exponent,
    machine,
    medians,
    one_core,
    stopwatch,
    write_results,
)
from benchmarks.problems import FORWARD_JUMP, WALK_2, WALK_6, drumming, squats

DIFFERENCES = (
    "The two solve different problems. Robot, footsteps, times and knots are the same; "
    "for Crocoddyl friction is a soft cost and nothing limits torques, joints, speeds "
    "or collisions, and for Backbeat all of these are hard limits."
)
MOTIONS = {
    "walk of 2 steps": WALK_2,
    "walk of 6 steps": WALK_6,
    "forward jump of 0.4 m": FORWARD_JUMP,
}
SIZES = (40, 80, 160, 320, 640)
# A step gets longer by so much for the warm re-solve [m].
LONGER = 0.01
# A song is solved for a few iterations only: all would take most of the time.
A_FEW = InteriorPointOptions(max_iterations=5)
# What Backbeat could save at the end if it took its time.
THOROUGH = InteriorPointOptions(
    refine_after=1000, refine_at=1000, max_iterations=100, end_barrier=1e-7
)

EXPONENT = "squats: iteration against knots, 40 to 640"
EACH_KNOT = "walk of 2 steps: knot and iteration"
BARE_KNOT = "the same without collisions"
FOUR_CONTACTS = "drumming, 4 contacts: knot and iteration"
RE_SOLVE = "walk of 2 steps: warm, steps 1 cm longer"
# The largest ratio, exponent or time in ms that is good enough.
GOALS = {
    "walk of 2 steps": 0.12,
    "walk of 6 steps": 0.17,
    "forward jump of 0.4 m": 0.12,
    EXPONENT: 1.1,
    EACH_KNOT: 0.2,
    BARE_KNOT: 0.2,
    RE_SOLVE: 60.0,
}


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        problem: what was solved.
        knots: number of knots; None for a range of them.
        backbeat: median time and iterations; None where there are several.
        value: what the goal is about.
        unit: of the value; empty for a ratio.
        crocoddyl: median until Crocoddyl stops by the criterion of its examples.
        near: median until its cost is within 1 % of the one at which it stops.
        above_best: by how much Backbeat's cost could still fall [%].
    """

    problem: str
    knots: int | None
    backbeat: Timing | None
    value: float
    unit: str = ""
    crocoddyl: Timing | None = None
    near: Timing | None = None
    above_best: float | None = None

    @property
    def goal(self) -> float | None:
        """Largest value that is good enough; None without one."""
        return GOALS.get(self.problem)

    @property
    def is_met(self) -> bool:
        """Whether the goal is met; true without one."""
        return self.goal is None or self.value <= self.goal

    @property
    def near_ratio(self) -> float | None:
        """Ratio to the Crocoddyl that is content to be near."""
        if self.near is None or self.backbeat is None:
            return None
        return self.backbeat.seconds / self.near.seconds


def measure(repetitions: int = 5, cache: Path | None = None) -> list[Row]:
    """Measures everything; takes about ten seconds a repetition.

    Args:
        repetitions: how often each case runs.
        cache: folder for Crocoddyl's environment; None for the usual one.

    Raises:
        BackbeatError: Crocoddyl is not to be had, or Backbeat solves something not.
    """
    python = make_environment(cache)
    with one_core(), Crocoddyl(python) as crocoddyl:
        problems = {name: motion.problem() for name, motion in MOTIONS.items()}
        cases: dict[str, Case] = {}
        for name, problem in problems.items():
            cases |= _against(crocoddyl, name, problem)
        walk = problems["walk of 2 steps"]
        cases["re-solve"] = _resolve_case(walk)
        cases["bare"] = _case(replace(walk, collisions=NOTHING))
        cases["four"] = _case(song := drumming(), A_FEW)
        cases |= {f"squats, {n}": _case(squats(n)) for n in SIZES}
        found = medians(cases, repetitions)
        rows = [_ratio(name, problem, found) for name, problem in problems.items()]
    return [*rows, *_own_rows(found, walk.num_knots, song.num_knots)]


def _ratio(name: str, problem: TrajectoryProblem, found: dict[str, Timing]) -> Row:
    backbeat, crocoddyl = found[name], found[f"{name}, Crocoddyl"]
    costs = [
        InteriorPoint(Transcription(problem), options).solve().cost
        for options in (None, THOROUGH)
    ]
    return Row(
        name,
        problem.num_knots,
        backbeat,
        backbeat.seconds / crocoddyl.seconds,
        crocoddyl=crocoddyl,
        near=found[f"{name}, near"],
        above_best=100 * (costs[0] / min(costs) - 1),
    )


def _own_rows(found: dict[str, Timing], walk: int, song: int) -> list[Row]:
    """What is measured of Backbeat alone."""

    def each(problem: str, knots: int, timing: Timing) -> Row:
        return Row(problem, knots, timing, 1e3 * timing.per_iteration / knots, "ms")

    series = [(n, found[f"squats, {n}"]) for n in SIZES]
    times = [timing.per_iteration for _, timing in series]
    again = found["re-solve"]
    return [
        *(each("squats: knot and iteration", n, timing) for n, timing in series),
        Row(EXPONENT, None, None, fitted_exponent(SIZES, times)),
        each(EACH_KNOT, walk, found["walk of 2 steps"]),
        each(BARE_KNOT, walk, found["bare"]),
        each(FOUR_CONTACTS, song, found["four"]),
        Row(RE_SOLVE, walk, again, 1e3 * again.seconds, "ms"),
    ]


def _against(
    crocoddyl: Crocoddyl, name: str, problem: TrajectoryProblem
) -> dict[str, Case]:
    """Crocoddyl until it stops and until it is near, and Backbeat."""
    last: dict[str, Timing] = {}

    def until_it_stops() -> Timing:
        answer = crocoddyl.solve(problem)
        near = answer["near"]
        last["near"] = Timing(near["seconds"], near["iterations"])
        return Timing(answer["seconds"], answer["iterations"], answer["converged"])

    return {
        f"{name}, Crocoddyl": until_it_stops,
        f"{name}, near": lambda: last["near"],
        name: _case(problem),
    }


def _case(
    problem: TrajectoryProblem, options: InteriorPointOptions | None = None
) -> Case:
    """A cold solve of a transcribed problem; with options it need not converge."""
    solver = InteriorPoint(Transcription(problem), options)

    def run() -> Timing:
        watch = stopwatch()
        solution = solver.solve()
        seconds = watch()
        if not solution.is_solved and options is None:
            raise BackbeatError(f"a motion was not found: {solution.status}")
        return Timing(seconds, len(solution.log), solution.is_solved)

    return run


def _resolve_case(problem: TrajectoryProblem) -> Case:
    """From the problem with longer steps to its solution, warm from the old one."""
    old = InteriorPoint(Transcription(problem)).solve()
    changed = WALK_2.problem(longer=LONGER)
    guess = Guess(old.q, old.w)

    def run() -> Timing:
        watch = stopwatch()
        solution = InteriorPoint(Transcription(changed)).solve(guess)
        seconds = watch()
        if not solution.is_solved:
            raise BackbeatError(f"the changed walk was not found: {solution.status}")
        return Timing(seconds, len(solution.log))

    return run


def print_table(rows: list[Row], repetitions: int) -> None:
    """Prints the rows, what they mean, and on what they were measured."""
    table = Table(title="Offline trajectory optimization", caption_justify="left")
    table.caption = (
        f"{DIFFERENCES}\nMedians of {repetitions} runs in turns, in processor seconds "
        f"on one core ({machine()['processor']}, load {machine()['load']:.1f}). "
        "Crocoddyl 3.2.1 stops by the criterion of its examples; 'near' is when its "
        "cost is within 1 % of that. 'Above best' is what a longer solve would still "
        "take off Backbeat's cost. * stopped before it converged."
    )
    table.add_column("problem", no_wrap=True)
    for heading in (
        "knots", "Crocoddyl [s]", "iterations", "near [s]", "iterations",
        "Backbeat [s]", "iterations", "above best", "ratio", "goal", "ratio, near",
    ):  # fmt: skip
        table.add_column(heading, justify="right")
    for row in rows:
        value = f"{row.value:.3g} {row.unit}".rstrip()
        color = "green" if row.is_met else "red"
        table.add_row(
            row.problem,
            str(row.knots or ""),
            *_cells(row.crocoddyl),
            *_cells(row.near),
            *_cells(row.backbeat),
            "" if row.above_best is None else f"{row.above_best:.1f} %",
            f"[{color}]{value}[/]" if row.goal else value,
            f"{row.goal:g}" if row.goal else "",
            f"{row.near_ratio:.3g}" if row.near_ratio else "",
        )
    # As wide as it needs to be, also where there is no terminal.
    Console(width=max(Console().width, 180)).print(table)


def _cells(timing: Timing | None) -> tuple[str, str]:
    if timing is None:
        return "", ""
    mark = "" if timing.converged else "*"
    return f"{timing.seconds:.3f}", f"{timing.iterations}{mark}"


def write_json(rows: list[Row], repetitions: int, path: Path) -> None:
    """Writes all that the table says, and the machine."""
    found = [
        asdict(row)
        | {"goal": row.goal, "is_met": row.is_met, "near_ratio": row.near_ratio}
        for row in rows
    ]
    write_results(path, differences=DIFFERENCES, repetitions=repetitions, rows=found)


def main(
    repetitions: Annotated[int, typer.Option(min=5, help="Runs of each case.")] = 5,
    out: Annotated[Path, typer.Option("--json", help="Where the numbers go.")] = Path(
        "out/offline.json"
    ),
    cache: CacheFolder = None,
) -> None:
    """Times the trajectory optimizer and Crocoddyl on one core, in turns."""
    try:
        rows = measure(repetitions, cache)
    except BackbeatError as error:
        raise SystemExit(f"benchmarks: {error}") from None
    print_table(rows, repetitions)
    write_json(rows, repetitions, out)


if __name__ == "__main__":
    typer.run(main)
