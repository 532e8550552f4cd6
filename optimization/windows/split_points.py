"""Split points: the best knots at which to divide a long problem."""

import numpy as np

from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem

# Largest score: number of knots from a split point to the nearest impact or switch of
# contacts beyond which more do not count; and largest offset of a split point [s].
MAX_SCORE, MAX_OFFSET = 4, 1.0


def split_score(problem: TrajectoryProblem) -> np.ndarray:
    """(N,) score of each knot as a split point, CALM at most.

    Where the robot steps, only what stands on all it ever stands on is quiet.
    """
    return _switch_distance(problem) + (MAX_SCORE + 1) * missing_contacts(problem)


def best_split(
    times: np.ndarray, score: np.ndarray, place: float, among: slice = slice(None)
) -> int:
    """The best split point near a time.

    Args:
        times: (N,) of the knots [s].
        score: (N,) see `split_score`.
        place: where it is wanted [s].
        among: knots that it can be.
    """
    off = np.abs(times[among] - place) / MAX_OFFSET
    # Beyond reach the nearest, which is as good as none.
    worth = np.where(off < 1, score[among] - off, -1e3 - off)
    return int(np.arange(len(times))[among][worth.argmax()])


def _switch_distance(problem: TrajectoryProblem) -> np.ndarray:
    """(N,) how many knots away the next impact or switch is, CALM at most."""
    times, N = problem.times, problem.num_knots
    busy = [0, N - 1, *(i.knot for i in problem.impacts)]
    for t in problem.schedule.switch_times[1:-1]:
        busy += np.flatnonzero(np.abs(times - t) < 1e-9).tolist()
    knots, places = np.arange(N), np.unique(busy)
    after = np.clip(np.searchsorted(places, knots), 1, len(places) - 1)
    away = np.minimum(np.abs(knots - places[after - 1]), np.abs(places[after] - knots))
    return np.minimum(away, MAX_SCORE)


def missing_contacts(problem: TrajectoryProblem) -> np.ndarray:
    """(N,) how many contacts fewer than at most stand at each knot, below zero.

    Points that hit or rest do not carry the robot.
    """
    patches = [
        n
        for n in problem.schedule.contact_names
        if not problem.robot.contacts[n].is_point
    ]
    standing = np.zeros(problem.num_knots, int)
    for name in patches:
        standing += problem.schedule.active(problem.times, name)
    return standing - standing.max(initial=0)


def firm_start(start: int, missing: np.ndarray, score: np.ndarray) -> int:
    """The last knot up to `start` at which a run-in can be at rest: on both feet.

    Args:
        start: where it is wanted.
        missing: (N,) see `missing_contacts`.
        score: (N,) see `split_score`.
    """
    firm = np.flatnonzero(missing[: start + 1] == 0)
    if missing[start] == 0 or len(firm) == 0:
        return start
    # In the middle of the time on both feet that ended there, if that is short.
    last = int(firm[-1])
    near = np.arange(max(0, last - MAX_SCORE), last + 1)
    near = near[missing[near] == 0]
    return int(near[score[near].argmax()])
