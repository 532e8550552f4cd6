"""Costs and active limits of a plan, from its program, solved again."""

from collections.abc import Callable, Iterator

import numpy as np

from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.models.dynamics.pendulum import pendulum_frequency
from backbeat.mpc.horizon.sampling import BODY
from backbeat.mpc.plans.explanation import LimitReport, PlanExplanation
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.predictive.bounds import HEIGHT, LEAST_HEIGHT
from backbeat.mpc.predictive.cost_entries import time_dilation_weights
from backbeat.mpc.predictive.program import PredictiveProgram, Solve
from backbeat.mpc.predictive.settings import TempoRamp

# Rows of `backbeat.mpc.plans.weights.patch_rows` in words.
PATCH = (
    "friction of {} forward",
    "friction of {} to the left",
    "center of pressure of {} at its left edge",
    "center of pressure of {} at its back edge",
    "yaw moment of {} to the left",
    "friction of {} backward",
    "friction of {} to the right",
    "center of pressure of {} at its right edge",
    "center of pressure of {} at its front edge",
    "yaw moment of {} to the right",
)
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
    return best


def report_costs(program: PredictiveProgram, solve: Solve) -> dict[str, float]:
    """Every term of the cost by name; together they are the plan's objective.

    Args:
        program: the program.
        solve: its answer.
    """
    w, C = program.weights, len(program.reference.patches)
    N, t = w.knots, 6 * C
    u, x = solve.x[:, : -len(solve.x0)], solve.x[:, -len(solve.x0) :].copy()
    S = (len(solve.x0) - BODY) // 2
    x[:, 2] += solve.com_lowering
    # The last knot counts for what comes after it.
    share = np.r_[np.full(N - 1, w.spacing), 2.0]
    soles = x[:, BODY:].reshape(N, S, 2)
    off = x[:, :3].copy()
    if S:
        off[:, :2] -= soles.mean(axis=1)
    theta, h = u[:, t], w.spacing
    rate = theta / solve.horizon.h
    dilation, change = time_dilation_weights(w, solve.horizon.h)
    velocity = x[:, 3:6] + rate[:, None] * solve.horizon.velocity[1:]
    wrench = u[:, :t].reshape(N, C, 6)
    height = float(program.reference.table.com[:, 0, 2].mean())
    gravity = program.reference.robot.gravity
    omega = pendulum_frequency(height, gravity, LEAST_HEIGHT)
    capture = off[-1] + x[-1, 3:6] / omega

    def of(weight: float, values: np.ndarray, by: np.ndarray | float = h) -> float:
        """Half the weighted squares of values by interval."""
        squares = (values.reshape(len(values), -1) ** 2).sum(axis=1)
        return float(0.5 * weight * np.sum(by * squares))

    return {
        "center of mass away from the soles": of(w.com, off[:, :2], share),
        "height of the center of mass": of(w.height, off[:, 2], share),
        "velocity": of(w.velocity, velocity, share),
        "angular momentum": of(w.momentum, x[:, 6:9], share),
        "rotation of the body": of(w.rotation, x[:, 9:12], share),
        "time off the beat": of(solve.beat, x[:, 12], share),
        "soles elsewhere": of(w.shift, x[:, BODY:], share),
        "divergent component at the end": of(w.terminal, capture[None], 1.0),
        "time dilation": of(1.0, theta, dilation),
        "time spent out of place": float(solve.seconds @ theta),
        "change of the time dilation": of(1.0, np.diff(change * theta), 1.0),
        "moving soles": of(w.footstep_adjustment, u[:, t + 1 :]),
        "horizontal forces": of(w.force, wrench[:, :, 3:5]),
        "vertical forces": of(w.vertical, wrench[:, :, 5]),
        "moments": of(w.moment, wrench[:, :, :3]),
    }


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
    if len(program.reference.soles) == 2 and program.weights.stepping:
        if i < 2 * N:
            way = "sideways" if i % 2 else "forward"
            return f"distance of the soles {way} at its {side} limit", i // 2, "m"
        i -= 2 * N
    way = "increase" if side == "lower" else "decrease"
    return f"{way} of the phase rate at its limit", i, ""


def _bound_name(
    program: PredictiveProgram, solve: Solve, knot: int, j: int, side: str
) -> tuple[str, str] | None:
    """Name and unit of a bounded variable; None for one without a name."""
    patches, soles, w = (
        program.reference.patches,
        program.reference.soles,
        program.weights,
    )
    t = 6 * len(patches)
    if j < t:
        return f"normal force of {patches[j // 6]} at its {side} limit", "weights"
    if j == t:
        slow, h = side == "upper", solve.horizon.h[knot]
        end = (1 / (w.min_phase_rate if slow else w.max_phase_rate) - 1) * h
        if abs(solve.bounds[int(slow), knot, j] - end) > 1e-6:
            if knot and not slow:
                return "phase rate of an added step at its maximum", "s"
            # The first interval continues the rate so far.
            change = "decrease" if slow else "increase"
            return f"{change} of the phase rate at its limit", "s"
        return f"phase rate at its {'minimum' if slow else 'maximum'}", "s"
    i = (j - t - 1) // 2
    if i < len(soles) and w.stepping:
        way = ("forward", "backward") if (j - t - 1) % 2 == 0 else ("left", "right")
        name = patches[soles[i]]
        return f"move of {name} {way[0 if side == 'upper' else 1]} in the air", "m"
    if j - (solve.x.shape[1] - len(solve.x0)) == HEIGHT and side == "upper":
        return "height of the center of mass at its upper limit", "m"
    return None
