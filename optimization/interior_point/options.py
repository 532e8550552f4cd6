"""Options of the interior point: its constants and the thresholds of its phases."""

from dataclasses import dataclass


@dataclass(frozen=True)
class InteriorPointOptions:
    """Constants of the interior point; the defaults solved every shipped problem.

    Violations and excesses are in scaled rows, changes of the cost are relative. A
    solve has up to three phases: without bounds, where the guess violates them by far;
    with barriers; and a final refinement, whose ever shorter steps leave only the
    constraints to improve.

    Attributes:
        max_iterations: limit of iterations from the initial phase or the last restart
            on; twice as many in all.
        extra_iterations, extra_below: more iterations for a final refinement, and the
            violation below which it has them: it is about to converge.
        start_barrier, end_barrier: first and last mu.
        warm_barrier: first mu from a guess that is nearly a solution, which a larger
            one would lead away from.
        delta: regularization of equalities; smaller fails to factor, larger
            converges slowly on short intervals.
        tolerance: largest scaled violation accepted.
        max_step: largest tangent increment of one iteration [rad or m].
        excess_growth: factor on the cost of an excess over an elastic bound each time
            that a final refinement ends with one: a multiplier was larger than that
            cost, or there is no solution.
        free_above, free_below: excess over a bound above which a solve begins without
            bounds, which would cut every step that leads back, and below which these
            are in force.
        free_iterations: limit of iterations without bounds.
        clear_after, clear_ratio: iterations with bounds from a clear guess that
            violates them, after which it is solved without them first, unless the
            violation is below this ratio to the first.
        refine_after: iterations after which the final refinement may start, once the
            cost hardly changes.
        warm_refine_after: the same from a guess that is nearly a solution.
        refine_at: iteration at which the final refinement starts in any case, twice as
            many where the cost still changes by more than `refine_at_change`.
        refine_barrier: largest mu at which it may start: bounds are sharp then.
        refine_change, refine_violation: change of the cost and violation below which
            it may start.
        refine_at_change, refine_at_violation: the same at `refine_at`.
        slow_ratio, slow_below: it waits as long as steps reduce the violation to less
            than this ratio, unless that is below this: Newton's method converges.
        refine_share: share of the full step above which a step counts as one of the
            refinement; those that bounds cut short improve little.
        restart_after: steps of a refinement after which it is restarted.
        stuck_after, stuck_ratio: iterations of a refinement after which it is restarted
            if none of them has lowered the violation by this ratio.
        restart_below, restart_ratio: violation below which barriers are lowered in
            place of that, and the ratio: an excess is in proportion to the barrier.
        done_step, done_gap: length of a step [rad or m], and complementarity per bound
            over mu, below which a solve has converged without refinement.
        max_resolves: how often at most a solution from a guess that violates bounds is
            solved again, unless it is clear, until its cost settles: the final
            refinement stops short of the optimum.
        resolve_until: iterations in all after which it is not solved again.
        resolve_change: decrease of the cost that counts as none there.
    """

    max_iterations: int = 60
    extra_iterations: int = 40
    extra_below: float = 1e-3
    start_barrier: float = 1e-1
    end_barrier: float = 1e-5
    warm_barrier: float = 3e-4
    delta: float = 1e-8
    tolerance: float = 1e-6
    max_step: float = 0.6
    excess_growth: float = 10.0
    free_above: float = 5.0
    free_below: float = 1.5
    free_iterations: int = 8
    clear_after: int = 16
    clear_ratio: float = 0.5
    refine_after: int = 8
    warm_refine_after: int = 1
    refine_at: int = 12
    refine_barrier: float = 1e-3
    refine_change: float = 0.01
    refine_violation: float = 5e-3
    refine_at_change: float = 0.05
    refine_at_violation: float = 1e-2
    slow_ratio: float = 0.3
    slow_below: float = 1e-4
    refine_share: float = 0.5
    restart_after: int = 7
    stuck_after: int = 12
    stuck_ratio: float = 0.7
    restart_below: float = 1e-4
    restart_ratio: float = 0.3
    done_step: float = 1e-2
    done_gap: float = 5.0
    max_resolves: int = 4
    resolve_until: int = 120
    resolve_change: float = 0.01
