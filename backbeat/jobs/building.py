"""Building many behaviors side by side."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backbeat.behaviors.building.build import build
from backbeat.behaviors.building.build_key import build_key
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.robots import folder_name, robot_name
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.setlist.specification import SetlistSpecification
from backbeat.behaviors.specification.checking import refuse_setlist
from backbeat.behaviors.specification.kinds import (
    AS_IT_STANDS,
    Variant,
    find_specification,
    read_any,
)
from backbeat.models.common.atomic_file import check_place
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.processes.pool import (
    Job,
    Outcome,
    Report,
    Watcher,
    cores,
    run_jobs,
)


@dataclass(frozen=True)
class Built:
    """What the command line prints of a behavior.

    Attributes:
        text: one paragraph for a person.
        numbers: what building and verification found, as plain data.
    """

    text: str
    numbers: Mapping[str, Any]


def build_all(
    names: Sequence[str],
    library: str | Path,
    watcher: Watcher,
    force: bool = False,
    processes: int | None = None,
    log: bool = False,
    executors: Sequence[Executor] = (),
    variant: Variant = AS_IT_STANDS,
) -> list[Outcome]:
    """Builds behaviors; one that fails does not keep the others from it.

    Args:
        names: shipped names, or paths of specifications.
        library: folder to store them in.
        watcher: callbacks on progress.
        force: build what is up to date too.
        processes: how many behaviors at a time; None for one a core.
        log: report every iteration of the solver.
        executors: where to build instead, see `backbeat.jobs.cluster`; they write to
            the library under the same path.
        variant: what is otherwise than the specifications say.

    Returns:
        An outcome each, in order, whose value is a `Built`.
    """
    library = Path(library)
    names = list(dict.fromkeys(names))
    store, taken = Library(library), set[tuple[str, str]]()
    outcomes: dict[str, Outcome] = {}
    jobs: dict[str, Job] = {}
    for name in names:
        title = Path(name).stem
        try:
            stored = _stored(name, store, taken, variant)
        except BackbeatError as error:
            outcomes[name] = Outcome(title, error=error)
        else:
            if force or stored is None:
                jobs[name] = Job(title, build_one, (name, library, force, log, variant))
                continue
            outcomes[name] = Outcome(title, stored)
            watcher.progress(title, 1.0, "up to date")
        watcher.done(outcomes[name])
    if len(jobs) == 1 and not executors:
        # One behavior has all the cores for its windows.
        ((name, job),) = jobs.items()
        hands = cores() if processes is None else processes
        jobs[name] = Job(job.name, build_one, (*job.arguments, hands))
    if jobs and not executors:
        # That it cannot be stored is said before the build, not after it.
        for name, robot in sorted(taken):
            folder = library / folder_name(robot_name(robot))
            check_place(folder / f"{name}.parquet")
    made = run_jobs(list(jobs.values()), watcher, processes, executors)
    outcomes |= zip(jobs, made, strict=True)
    return [outcomes[name] for name in names]


def build_one(
    report: Report,
    name: str,
    library: str | Path,
    force: bool,
    log: bool,
    variant: Variant = AS_IT_STANDS,
    hands: int = 1,
) -> Built:
    """The job of building one behavior."""

    def iteration(entry: Mapping[str, float]) -> None:
        report.line(f"{Path(name).stem}: {iteration_line(entry)}")

    behavior = build(
        name,
        Library(library),
        force,
        report.progress,
        iteration if log else None,
        hands,
        variant,
    )
    return _built(behavior)


def iteration_line(entry: Mapping[str, float]) -> str:
    """One iteration of the solver."""
    return (
        f"iteration {entry['iteration']:2.0f}  cost {entry['cost']:.4e}  "
        f"violation {entry['violation']:.1e}  step {entry['step']:.1e}  "
        f"barrier {entry['barrier']:.1e}"
    )


def _stored(
    name: str,
    library: Library,
    taken: set[tuple[str, str]],
    variant: Variant = AS_IT_STANDS,
) -> Built | None:
    """What the library has, if it is up to date; adds the behavior to `taken`."""
    path = find_specification(name)
    specification, text = read_any(path, variant)
    named = specification.name, specification.robot
    if named in taken:
        raise BackbeatError(
            f"{path}: another specification of this build is called "
            f"{specification.name!r} too; a library has one of a name for each robot"
        )
    taken.add(named)
    if isinstance(specification, SetlistSpecification):
        refuse_setlist(text, path)
    if library.key(*named) != build_key(specification, text, path.parent):
        return None
    return _built(library.load(*named))


def _built(behavior: Behavior) -> Built:
    made = behavior.provenance
    remarks = made.get("remarks", [])
    assert isinstance(remarks, list)
    numbers = {
        "name": behavior.name,
        "robot": behavior.robot_model.name,
        "seconds": made["seconds"],
        "knots": made["knots"],
        "iterations": made["iterations"],
        "violation": made["violation"],
        "remarks": remarks,
        "left_out": made.get("left_out", []),
        "certificate": behavior.certificate.to_dict(),
    }
    text = "\n".join([str(behavior), *(f"  note: {remark}" for remark in remarks)])
    return Built(text, numbers)
