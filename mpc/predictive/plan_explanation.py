"""Costs and active limits of a plan, from its program, solved again."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.mpc.horizon.patch_rows import PATCH
from backbeat.mpc.plans.explanation import LimitReport, PlanExplanation
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.predictive.bounds import HEIGHT
from backbeat.mpc.predictive.cost_entries import dilation_shares
from backbeat.mpc.predictive.program import PredictiveProgram, Solve
from backbeat.mpc.predictive.settings import TempoRamp
from backbeat.optimization.terms.declared import On, costs_of, declarations

# Share of an objective by which that of the same program differs when solved again.
SAME = 1e-9
# Shifts of soles that are worth a word [m].
SHIFT = 0.005


def explain_plan(
    program: PredictiveProgram,
    plan: Plan,
    start_time: float = 0.0,
    previous: Plan | None = None,
    tempo: TempoRamp | None = None,
) -> PlanExplanation:
    """Solves the program of a plan again and reports its terms.

    Args:
        program: the program that made the plan.
        plan: the plan.
        start_time: time at which the behavior's phase is zero [s].
        previous: the plan before, about which it may have been linearized, which the
            objective decides.
        tempo: requested; None for the authored one.
    """
    tempo = tempo or TempoRamp()
    now = plan.time - start_time
    t, factor = tempo.requested_phase(now), tempo.factor(now)
    late = (t - plan.phase) / factor
    end = late + float(plan.durations.sum() - np.diff(plan.phases).sum() / factor)
    costs: dict[str, float] = {}
    limits: tuple[LimitReport, ...] = ()
    if plan.iterations and plan.is_fresh:
        solve = _solve_again(program, plan, t, previous, factor)
        if solve is not None:
            costs = report_costs(program, solve)
            limits = tuple(_limits(program, plan, solve))
    patches = program.reference.patches
    steps = tuple(
        f"{patches[s.contact]} {'waits' if s.stands else 'steps'} from "
        f"{s.start - plan.phase:.2f} to {s.end - plan.phase:.2f} s ahead"
        for s in plan.steps
    )
    shifts = tuple(
        f"{patches[c]} ends {1e3 * x:.0f} mm forward and {1e3 * y:.0f} mm to the left "
        "of where the behavior has it"
        for c, (x, y) in zip(program.reference.soles, plan.shift[-1], strict=True)
        if np.hypot(x, y) > SHIFT
    )
    return PlanExplanation(
        plan.time,
        plan.phase,
        plan.rate,
        (late, end),
        plan.status,
        costs,
        limits,
        steps,
        shifts,
        plan.friction_scale,
        (
            float(plan.external_acceleration_xy[0]),
            float(plan.external_acceleration_xy[1]),
        ),
    )


def _solve_again(
    program: PredictiveProgram,
    plan: Plan,
    t: float,
    previous: Plan | None,
    tempo: float,
) -> Solve | None:
    """The program whose objective is the plan's: about which plan is not known."""
    best, least = None, np.inf
    state, shift = plan.deviation[0], plan.shift[0]
    start = PlanStart(
        t,
        plan.phase,
        state,
        shift,
        plan.touchdowns,
        external_force_z=plan.external_force_z,
        external_acceleration_xy=plan.external_acceleration_xy,
        friction_scale=plan.friction_scale,
        tempo=tempo,
        com_lowering=plan.com_lowering,
    )
    if previous is not None:
        start = start.going_on(previous)
    solves: tuple[Callable[[], Plan | None], ...] = (
        lambda: program.solve(start, plan.steps, previous),
        lambda: program.solve(start, plan.steps),
        lambda: program.solve_anew(start, plan.steps),
    )
    for solve in solves:
        found = solve()
        if found is None:
            continue
        off = abs(found.objective - plan.objective)
        if off < least:
            best, least = program.last_solve(), off
        if off <= SAME * abs(plan.objective):
            break
    return best


def report_costs(program: PredictiveProgram, solve: Solve) -> dict[str, float]:
    """Every term of the cost by name; together they are the plan's objective.

    Args:
        program: the program.
        solve: its answer.
    """
    w, z, horizon = program.weights, program.unknowns, solve.horizon
    u, x = np.split(solve.x, [z.num_inputs], axis=1)
    x = x + solve.com_lowering[:, None] * z.com[2]
    theta = u @ z.dilation[0]
    # The reference moves slower where time is dilated.
    slower = (theta / horizon.h)[:, None] * horizon.velocity[1:]
    # The last knot counts for what comes after it.
    share = np.r_[np.full(w.knots - 1, w.spacing), w.end]
    dilation, change = dilation_shares(w, horizon.h)
    # What costs are on, and what each knot or interval counts.
    parts: dict[On, tuple[np.ndarray, np.ndarray | float]] = {
        On.STATE: (x, share),
        On.BEAT: (x, share),
        On.PACED: (x + slower @ z.velocity, share),
        On.END: (x[-1:], 1.0),
        On.INPUT: (u, w.spacing),
        On.DILATION: (u, dilation),
        On.CHANGE: (np.diff(change[:, None] * u, axis=0), 1.0),
    }
    costs = {}
    for cost, weight in costs_of(w):
        assert cost.rows is not None, cost.name
        values, by = parts[cost.on]
        squares = ((values @ cost.rows(z).T) ** 2).sum(axis=1)
        own = solve.beat if cost.on is On.BEAT else weight
        costs[cost.name] = float(0.5 * own * np.sum(by * squares))
    return costs | {"time spent out of place": float(solve.seconds @ theta)}


@cache
def _limit_names(kind: Any) -> dict[str, str]:
    """What the limit that a number of a class sets is called."""
    return {name: told.limit for name, told in declarations(kind).items()}


def _limits_of(program: PredictiveProgram) -> dict[str, str]:
    kind: Any = type(program.weights)
    return _limit_names(kind)


def _limits(
    program: PredictiveProgram, plan: Plan, solve: Solve
) -> Iterator[LimitReport]:
    """Active bounds, of each name the one with the largest multiplier, with times."""
    times = np.r_[0.0, np.cumsum(plan.durations)]
    found: dict[str, list[tuple[float, float, float, int, str]]] = {}
    sides = (("lower", 0), ("upper", 1))
    m, width = len(solve.rows), solve.x.shape[1]
    for side, k in sides:
        for i in range(m):
            name, knot, unit = _row_name(program, solve, i, side)
            if not name:
                continue
            data = solve.rows[i], solve.row_bounds[k, i], solve.row_multipliers[k, i]
            _note(found, name, knot, unit, data)
        for knot in range(program.weights.knots):
            for j in range(width):
                if solve.bounds[0, knot, j] == solve.bounds[1, knot, j]:
                    continue
                described = _bound_name(program, solve, knot, j, side)
                if described is None:
                    continue
                place = (k, knot, j)
                data = solve.x[knot, j], solve.bounds[place], solve.multipliers[place]
                _note(found, described[0], knot, described[1], data)
    for name, entries in found.items():
        value, bound, multiplier, _, unit = max(entries, key=lambda e: e[2])
        knots = [e[3] for e in entries]
        when = float(times[min(knots)]), float(times[max(knots) + 1])
        yield LimitReport(name, value, bound, multiplier, 1.0, unit, when)


def _note(
    found: dict[str, list[tuple[float, float, float, int, str]]],
    name: str,
    knot: int,
    unit: str,
    data: tuple[float, float, float],
) -> None:
    """Keeps a bound that is active: its multiplier exceeds its slack."""
    value, bound, multiplier = map(float, data)
    if abs(bound) < UNBOUNDED / 2 and multiplier > max(abs(bound - value), 1e-4):
        found.setdefault(name, []).append((value, bound, multiplier, knot, unit))


def _row_name(
    program: PredictiveProgram, solve: Solve, i: int, side: str
) -> tuple[str, int, str]:
    """Name, knot and unit of an inequality row; no name for a foot in the air."""
    N, patches = program.weights.knots, program.reference.patches
    count = N * len(PATCH) * len(patches)
    if i < count:
        knot, row = divmod(i, len(PATCH) * len(patches))
        c, r = divmod(row, len(PATCH))
        stands = solve.horizon.standing[knot, c]
        return PATCH[r].format(patches[c]) if stands else "", knot, "weights"
    i -= count
    limits = _limits_of(program)
    if len(program.reference.soles) == 2 and program.weights.stepping:
        if i < 2 * N:
            way = "sideways" if i % 2 else "forward"
            name = limits["max_step_length"].format(way=way, side=side)
            return name, i // 2, "m"
        i -= 2 * N
    way = "increase" if side == "lower" else "decrease"
    return limits["max_phase_rate_change"].format(way=way), i, ""


def _bound_name(
    program: PredictiveProgram, solve: Solve, knot: int, j: int, side: str
) -> tuple[str, str] | None:
    """Name and unit of a bounded variable; None for one without a name."""
    patches, soles = program.reference.patches, program.reference.soles
    w, limits = program.weights, _limits_of(program)
    t = 6 * len(patches)
    if j < t:
        patch = patches[j // 6]
        return limits["max_force"].format(patch=patch, side=side), "weights"
    if j == t:
        slow, h = side == "upper", solve.horizon.h[knot]
        end = (1 / (w.min_phase_rate if slow else w.max_phase_rate) - 1) * h
        if abs(solve.bounds[int(slow), knot, j] - end) <= 1e-6:
            return limits["min_phase_rate" if slow else "max_phase_rate"], "s"
        if knot and not slow:
            return limits["max_step_rate"], "s"
        # The first interval continues the rate so far.
        way = "decrease" if slow else "increase"
        return limits["max_phase_rate_change"].format(way=way), "s"
    i = (j - t - 1) // 2
    if i < len(soles) and w.stepping:
        ways = ("forward", "backward") if (j - t - 1) % 2 == 0 else ("left", "right")
        way = ways[0 if side == "upper" else 1]
        return limits["foot_speed"].format(patch=patches[soles[i]], way=way), "m"
    if j - program.unknowns.num_inputs == HEIGHT and side == "upper":
        return limits["max_com_rise"], "m"
    return None
