"""Desired and achieved values of a whole-body tick, from the rows of its program."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.mpc.plans.explanation import LimitReport, TaskReport, TickExplanation
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.memory import WholeBodyMemory
from backbeat.mpc.whole_body.programs.momentum import (
    WholeBodyProgram,
    WholeBodySolution,
)
from backbeat.mpc.whole_body.programs.own_tasks import OwnRows
from backbeat.mpc.whole_body.programs.tasks import (
    CONTACT,
    ORIENTATION,
    POINT,
    SWING,
    WRENCH,
    WholeBodyGains,
)
from backbeat.optimization.terms.declared import costs_of

# Time that a hand takes at most to get where it shall be held [s].
ARRIVED = 1.0


def explain_tick(
    core: WholeBodyCore,
    t: float,
    q: np.ndarray,
    v: np.ndarray,
    plan: Plan,
    memory: WholeBodyMemory | None = None,
    hands: Mapping[str, np.ndarray] | None = None,
    target: np.ndarray | None = None,
) -> TickExplanation:
    """Solves the program of a tick again and reports its tasks and limits.

    Args:
        core: the fast loop.
        t, q, v, plan, hands, target: as of `WholeBodyCore`.
        memory: what the tick before returned. Without it hands are taken to be as far
            from where the behavior has them as they shall be; nothing else that is said
            depends on it.
    """
    sample = _aim(core, t, plan, memory, hands or {})
    middle = core.middle(q, v)
    core.direct(middle, v, sample, target, memory)
    dual = None if memory is None else memory.dual
    solution = core.program.solve(middle, v, core.target, dual)
    names = core.program.contacts
    on = core.target.standing
    own = core.program.own_rows(middle, v, core.target)
    tasks = report_tasks(core.program, solution, own)
    limits = list(_limits(core.program, v, solution))
    return TickExplanation(
        time=t,
        phase=plan.phase_at(t + 0.5 * core.period),
        status=solution.status,
        standing=tuple(n for n, s in zip(names, on, strict=True) if s),
        tasks=tasks,
        limits=tuple(limits),
        torques=solution.tau,
    )


def _aim(
    core: WholeBodyCore,
    t: float,
    plan: Plan,
    memory: WholeBodyMemory | None,
    hands: Mapping[str, np.ndarray],
) -> ReferenceSample:
    """Writes the target of a tick, hands included; returns the behavior there."""
    sample = core.aim(t, plan)
    if memory is None and hands:
        memory = core.start()
        for _ in range(round(ARRIVED / core.period)):
            memory = replace(memory, reach=core.reach(sample, hands, memory))
        sample = core.aim(t, plan)
    if memory is not None and (hands or memory.reach):
        core.reach(sample, hands, memory)
    return sample


def _unknowns(program: WholeBodyProgram, solution: WholeBodySolution) -> np.ndarray:
    """(n,) the unknowns of the program in a solution."""
    free = solution.vdot[program.robot.base_velocities :][program.model.free]
    return np.r_[free, (solution.wrench + solution.swing_slack).ravel()]


def report_tasks(
    program: WholeBodyProgram, solution: WholeBodySolution, own: Iterable[OwnRows] = ()
) -> tuple[TaskReport, ...]:
    """Desired and achieved values of the tasks of the last solve, from its rows.

    Args:
        program: with the rows in its workspace.
        solution: of it.
        own: tasks of one's own.
    """
    rows = program.workspace.rows
    terms = [term for term, _ in costs_of(WholeBodyGains()) if term.compiled]
    k, x = int(rows.used[0]), _unknowns(program, solution)
    wanted, one = rows.wanted[:k], rows.unit[:k]
    values = np.where(one < 0, rows.T[:k] @ x, x[one])
    achieved = wanted + values - rows.y[:k]
    found: dict[tuple[int, int], list[int]] = {}
    for i in np.flatnonzero(rows.weight[:k]).tolist():
        task, of = rows.task[i].tolist()
        # Wrenches of all contacts are one task.
        found.setdefault((task, 0 if task == WRENCH else of), []).append(i)
    reports = []
    for (task, of), at in found.items():
        term, weight = terms[task], float(rows.weight[at[0]])
        name, parts = term.name.format(_subject(program, task, of)), {term.unit: at}
        if task == SWING:
            parts = {"rad/s^2": at[:-3], term.unit: at[-3:]}
        for unit, part in parts.items():
            label = name if unit == term.unit else name.replace("path", "turn", 1)
            reports.append(
                TaskReport(label, weight, wanted[part], achieved[part], unit)
            )
    return (*reports, *(row.report(solution.vdot) for row in own))


def _subject(program: WholeBodyProgram, task: int, of: int) -> str:
    """Name of what a task moves, by its index."""
    if task == ORIENTATION:
        return (program.robot.base_name, program.robot.trunk.name)[of]
    if task == POINT:
        return program.points[of]
    return program.contacts[of] if task in (CONTACT, SWING) else ""


def _limits(
    program: WholeBodyProgram, v: np.ndarray, solution: WholeBodySolution
) -> Iterator[LimitReport]:
    """Lower and upper bounds that are finite."""
    work, first = program.workspace, 0
    x = _unknowns(program, solution)
    values = np.r_[x, work.A @ x]
    for block in program.limits:
        part = slice(first, first + len(block.names))
        first = part.stop
        offset = np.zeros(len(block.names))
        if block.offset is not None:
            offset = block.offset(work, work.upper[part], v)
        told = zip(
            block.names,
            values[part] + offset,
            work.lower[part] + offset,
            work.upper[part] + offset,
            solution.dual[part],
            block.sizes,
            strict=True,
        )
        for name, value, lower, upper, dual, size in told:
            if lower == upper:
                continue
            for side, bound, sign in (("upper", upper, 1.0), ("lower", lower, -1.0)):
                if abs(bound) < UNBOUNDED / 2:
                    yield LimitReport(
                        name.format(side=side),
                        float(value),
                        float(bound),
                        max(sign * float(dual), 0.0),
                        float(size),
                        block.unit,
                    )
