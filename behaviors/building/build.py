"""Building behaviors: specification to verified motion in the library."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from backbeat.behaviors.building.build_command import build_notes
from backbeat.behaviors.building.build_key import (
    build_key,
    robot_and_sources,
    terms_hash,
)
from backbeat.behaviors.building.easier import changes, easier, knot_key
from backbeat.behaviors.building.fitting import fitted
from backbeat.behaviors.library.behavior import Behavior, Progress
from backbeat.behaviors.library.build_cost import SOLVING, BuildCost
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.setlist.memory import ShowMemory
from backbeat.behaviors.setlist.show import make_show
from backbeat.behaviors.setlist.specification import SetlistSpecification
from backbeat.behaviors.solving.retries import Retries, SearchTimeError
from backbeat.behaviors.solving.solved_behavior import (
    assembled,
    check_certificate,
    describe,
    make_behavior,
)
from backbeat.behaviors.solving.window_steps import Source
from backbeat.behaviors.solving.windowed import LONG, WindowedSolver
from backbeat.behaviors.specification.checking import (
    on_its_line,
    planning_error,
    refuse_failures,
    refuse_setlist,
)
from backbeat.behaviors.specification.kinds import (
    AS_IT_STANDS,
    Variant,
    find_specification,
    read_any,
)
from backbeat.behaviors.specification.setlist_rules import (
    SetlistPart,
    as_in_show,
    of_entry,
    read_parts,
    song_row,
)
from backbeat.models.common.errors import BackbeatError, NoMotionError
from backbeat.optimization.diagnosis.explanation import explain
from backbeat.optimization.interior_point.phase_durations import optimize_durations
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.transcription.transcribe import Transcription

# How often knots get closer together where a motion fails between them.
FINER_ROUNDS = 2
# Called with the log entry of every iteration of the solver.
Log = Callable[[Mapping[str, float]], None]


class Reports(NamedTuple):
    """Callbacks of a build.

    Attributes:
        progress: called as the work goes on.
        log: called at every iteration of the solver.
        explains: whether a motion that is not found is explained, which takes solving
            it with one limit less at a time.
    """

    progress: Progress
    log: Log
    explains: bool = True


def build(
    name: str | Path,
    library: Library,
    force: bool = False,
    progress: Progress | None = None,
    log: Log | None = None,
    processes: int = 1,
    variant: Variant = AS_IT_STANDS,
) -> Behavior:
    """Builds one behavior, or takes it from the library when nothing changed.

    Args:
        name: shipped name or path of a specification.
        library: where to store it.
        force: build even when the stored one is up to date.
        progress: called as the work goes on.
        log: called at every iteration of the solver.
        processes: how many windows of a long motion are solved at a time.
        variant: what is otherwise than the specification says.

    Raises:
        BackbeatError: the specification is wrong, or the motion was not found or
            did not pass verification.
    """
    started, report = time.perf_counter(), progress or (lambda share, what: None)
    reports = Reports(report, log or (lambda entry: None))
    path = find_specification(name)
    specification, text = read_any(path, variant)
    if isinstance(specification, SetlistSpecification):
        refuse_setlist(text, path)
    key = build_key(specification, text, path.parent)
    robot = specification.robot
    if not force:
        if library.key(specification.name, robot) == key:
            return library.load(specification.name, robot)
        library.check_replaced(specification.name, robot)
    report(0.0, "reading")
    if isinstance(specification, SetlistSpecification):
        try:
            behavior = join_setlist(specification, text, path.parent, library, reports)
        except BackbeatError as error:
            raise on_its_line(error, text, path) from None
        made = {"key": key, "seconds": time.perf_counter() - started}
        behavior = replace(behavior, provenance={**behavior.provenance, **made})
    else:
        refuse_failures(specification, text, path)
        windowed_solver = WindowedSolver(library.folder / ".windows", processes)
        behavior = _fitted(specification, text, path, key, reports, windowed_solver)
    made = {**behavior.provenance, **build_notes(path, variant)}
    behavior = replace(behavior, provenance=made)
    library.save(behavior)
    report(1.0, "stored")
    return behavior


def _fitted(
    specification: Specification,
    text: str,
    path: Path,
    key: str,
    reports: Reports,
    windowed_solver: WindowedSolver | None = None,
) -> Behavior:
    """Solves a specification, smaller where it is too large for another robot."""

    def attempt(other: Specification, text: str) -> Behavior:
        return solve(other, text, path, key, reports, windowed_solver)

    return fitted(specification, text, path, attempt, reports.progress)


def solve(
    specification: Specification,
    text: str,
    path: str | Path,
    key: str,
    reports: Reports,
    windowed_solver: WindowedSolver | None = None,
) -> Behavior:
    """Solves and verifies a specification that stands in a file, or would.

    Raises:
        BackbeatError: it makes no sense.
        NoMotionError: no motion was found and verified; says for a score what was
            tried and builds it.
    """
    try:
        return _solve(specification, text, path, key, reports, windowed_solver)
    except SearchTimeError:
        raise  # Options are searches of their own.
    except NoMotionError as error:

        def attempt(other: Specification) -> Behavior:
            reports.progress(0.1, "failed; trying what would do")
            unexplained = reports._replace(explains=False)
            return _solve(other, text, path, key, unexplained, windowed_solver)

        offer = specification.offer(path, attempt)
        if not offer:
            raise
        raise NoMotionError(error.and_then(offer)) from None


def _solve(
    specification: Specification,
    text: str,
    path: str | Path,
    key: str,
    reports: Reports,
    windowed_solver: WindowedSolver | None,
) -> Behavior:
    """The same, refused without an offer."""
    path, started = Path(path), time.perf_counter()
    cost = BuildCost(reports.progress)
    reports = reports._replace(progress=cost.report)
    behavior = _attempt(specification, text, path, reports, windowed_solver)
    asked, tried, rounds = specification, list[str](), 0
    while not behavior.certificate.passed:
        other = easier(specification, behavior, rounds < FINER_ROUNDS)
        if other is None:
            break
        rounds += int(knot_key(other) != knot_key(specification))
        specification = other
        tried.append(str(behavior.certificate.failures()[0]))
        how = " and ".join(changes(asked, specification))
        cost.report(0.1, f"fails between knots ({tried[-1]}), now with {how}")
        behavior = _attempt(specification, text, path, reports, windowed_solver)
    changed = changes(asked, specification)
    check_certificate(behavior, _said_of_knots(changed))
    made = {"key": key, "seconds": time.perf_counter() - started, **cost.provenance()}
    if tried:
        remark = (
            f"the motion failed between its knots, {'; '.join(tried)}; it is made with "
            f"{' and '.join(changed)}"
        )
        known: list[str] = behavior.provenance["remarks"]  # type: ignore[assignment]
        made["remarks"] = [remark, *known]
    return replace(behavior, provenance={**behavior.provenance, **made})


def _said_of_knots(changed: Sequence[str]) -> str:
    """What to do where a motion fails between knots; "" where that is not known."""
    if changed:
        return (
            f"; {' and '.join(changed)} did not help. A knee or elbow that gets "
            "straight is the usual reason: bend it more in the posture, shorten "
            "the move, or end its range before it is straight"
        )
    return ""


def _attempt(
    specification: Specification,
    text: str,
    path: Path,
    reports: Reports,
    windowed_solver: WindowedSolver | None,
) -> Behavior:
    """Solves a specification and verifies its motion, whatever comes of that."""
    folder, report = path.parent, reports.progress
    try:
        plan = specification.plan(folder)
    except BackbeatError as error:
        raise planning_error(error, path) from None
    report(0.1, SOLVING)
    about = describe(specification, plan, text)
    is_long = plan.in_windows or plan.problem.times[-1] >= LONG
    if is_long and not plan.free_phases:
        given = robot_and_sources(specification.robot) + terms_hash(specification)
        source = Source(specification, folder, given)
        windowed_solver = windowed_solver or WindowedSolver()
        plan, found = windowed_solver.solve(
            source, plan, lambda s, w: report(0.1 + 0.9 * s, w), reports.explains
        )
        return assembled(specification.name, plan, found, about)
    retries = Retries(specification.name)
    return _solve_short(plan, about, reports, retries)


def _solve_short(
    plan: MotionPlan, about: Mapping[str, Any], reports: Reports, retries: Retries
) -> Behavior:
    """Solves a motion at once."""
    report, name, stage = reports.progress, retries.name, retries.stage(plan)

    def iteration(entry: dict[str, float]) -> None:
        report(0.1 + 0.5 * min(1.0, entry["iteration"] / 20), stage)
        reports.log(entry)

    if plan.free_phases:
        solution = optimize_durations(plan.problem, plan.free_phases, iteration)
        plan = plan.timed_as(solution.transcription.problem)
    else:
        solution = InteriorPoint(Transcription(plan.problem)).solve(progress=iteration)
    if not solution.is_solved:
        other = retries.next(plan, solution.all_violations())
        if other is not None:
            return _solve_short(other, about, reports, retries)
        if not reports.explains:
            raise NoMotionError(f"{name}: no motion found")
        why = explain(solution, lambda kind: report(0.6, f"failed; is it {kind}?"))
        raise NoMotionError(f"{name}: no motion found: {why.sentence(plan.place)}")
    behavior = make_behavior(name, plan, solution, report, **about)
    if not behavior.certificate.passed:
        other = retries.next(plan, behavior.certificate.all_violations())
        if other is not None:
            return _solve_short(other, about, reports, retries)
    return behavior


def join_setlist(
    setlist: SetlistSpecification,
    text: str,
    folder: str | Path,
    library: Library,
    reports: Reports,
    memory: ShowMemory | None = None,
) -> Behavior:
    """Builds the behaviors of a setlist for its robot, and joins them.

    Args:
        setlist: as it was read.
        text: its file.
        folder: where that is.
        library: where behaviors are that it takes as they are.
        reports: called as the work goes on.
        memory: of earlier versions, see `make_show`; None for none.

    Raises:
        BackbeatError: a behavior or a transition was not found, or the whole does not
            pass verification.
    """
    parts: dict[str, Behavior] = {}
    read, known = read_parts(setlist, folder), memory or ShowMemory()
    row = song_row(setlist, read)
    if row is not None:
        windows = WindowedSolver(library.folder / ".windows")
        return solve(row, text, Path(folder) / "row.yaml", "", reports, windows)
    for i, (name, part) in enumerate(read.items()):

        def report(share: float, what: str, i: int = i, name: str = name) -> None:
            stem = Path(name).stem
            reports.progress(0.6 * (i + share) / len(read), f"{stem}: {what}")

        wanted, within = (
            as_in_show(part.specification, setlist),
            Reports(report, reports.log),
        )
        key = build_key(wanted, wanted.text(), part.path.parent)
        make = partial(_make_part, part, wanted, library, within)
        try:
            parts[name] = known.behavior(name, key, make)
        except BackbeatError as error:
            raise of_entry(error, setlist, name, wanted, part.path.parent) from None
    show = make_show(
        setlist,
        parts,
        text,
        lambda share, what: reports.progress(0.6 + 0.4 * share, what),
        memory,
    )
    check_certificate(show)
    return show


def _make_part(
    part: SetlistPart, wanted: Specification, library: Library, reports: Reports
) -> Behavior:
    """Builds a behavior of a setlist; what is as it stands goes by the library."""
    if wanted == part.specification:
        return build(part.path, library, False, *reports, variant=part.variant)
    return _fitted(wanted, part.text, part.path, "", reports)
