"""Rebounds: short motion of a limb after an impact, as the impulse has it.

The knots of a motion would have all joints of an arm turn round at once; a blow on the
tip of a stick turns the light wrist. Servos that are commanded otherwise counteract it,
and pull the tip back to the head. So the jump of a limb's joints becomes that of an
impulse along the normal, M^-1 J' n, with the tip as fast along it as the knots have it,
and goes over to the motion of the knots within a tenth of a second.

Sources
    Brach, "Mechanical Impact Dynamics", 1991.
    Rijnen, Saccon, Nijmeijer, "Reference Spreading: Tracking Performance for Impact
    Trajectories of a 1DoF Setup", 2020.
"""

from collections.abc import Callable

import numpy as np
import scipy

from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.trajectory_problem import Impact
from backbeat.optimization.reconstruction.fade import Fade
from backbeat.optimization.transcription.transcribe import Transcription

# Longest time over which a rebound is forgotten [s], at most this share of the way to
# the next stop.
LONGEST, SHARE = 0.1, 0.6
# Most speed of a joint after an impact, as a share of its limit.
MOST_SPEED = 0.9
# Shares of the change that are tried where all of it would bring a limb too near to
# something; by how much nearer it may come [m], and instants that are looked at.
SHARES, NEARER, INSTANTS = (1.0, 0.7, 0.4, 0.2), 2e-3, 6


class Rebounds:
    """What impacts change about the motion that the knots of a problem control."""

    def __init__(
        self,
        transcription: Transcription,
        sample: Callable[[np.ndarray, int | np.ndarray], tuple[np.ndarray, ...]],
    ) -> None:
        """Finds rebounds on a motion.

        Args:
            transcription: of the problem, with its impacts and shapes.
            sample: q, v, vdot at times, each in the interval after its knot.
        """
        self._problem, self._sample = transcription.problem, sample
        self._robot, self._times = self._problem.robot, self._problem.times
        self._shapes = transcription.program.collisions

    def after(self, impact: Impact) -> list[Fade]:
        """The change after an impact; none where there is no room for one."""
        robot, k = self._robot, impact.knot
        limb, last = robot.contacts[impact.contact].limb, self._end(impact)
        if len(limb) == 0 or last < k + 2:  # a spline of fewer pieces has no choice
            return []
        rows = robot.base_velocities + limb
        q, before, _ = self._sample(self._times[k : k + 1], k - 1)
        after = self._sample(self._times[k : k + 1], k)[1][0, rows]
        jump = after - before[0, rows]
        state = Configuration(robot, q[0])
        n = np.asarray(impact.normal) @ state.jacobian(impact.contact)[3:, rows]
        blow = np.linalg.solve(state.mass_matrix[np.ix_(rows, rows)], n)
        change = blow * (n @ jump) / (n @ blow) - jump
        change *= _share(after, change, MOST_SPEED * robot.velocity_limits[limb])
        ends = self._times[[k, (k + last + 1) // 2, last]]
        columns = robot.base_positions + limb
        share = self._clear_share(_rebound(columns, ends, change, k))
        return [_rebound(columns, ends, share * change, k)] if share > 0 else []

    def _end(self, impact: Impact) -> int:
        """Knot at which a rebound has gone over to what the knots have."""
        problem, times, k = self._problem, self._times, impact.knot
        middles = 0.5 * (times[k + 1 :] + times[k:-1])
        stands = problem.schedule.active(middles, impact.contact)
        stops = [i.knot for i in problem.impacts if i.contact == impact.contact]
        stops += (k + np.flatnonzero(stands)).tolist()
        stop = min([i for i in stops if i > k] + [len(times) - 1])
        way = min(LONGEST, SHARE * (times[stop] - times[k]))
        end = int(np.searchsorted(times, times[k] + way + 1e-9)) - 1
        return min(max(end, k + 2), stop)

    def _clear_share(self, change: Fade) -> float:
        """Most of a change within stops and clear of solids, as far as before; or 0."""
        u = np.linspace(change.first, change.last, INSTANTS + 2)[1:-1]
        q = self._sample(u, np.searchsorted(self._times, u) - 1)[0]
        joints = change.columns - self._robot.base_positions
        low = np.minimum(self._robot.position_lower[joints], q[:, change.columns])
        high = np.maximum(self._robot.position_upper[joints], q[:, change.columns])
        clear = np.minimum(self._distances(q), self._problem.collisions.margin) - NEARER
        step = change.at(u)
        for share in SHARES:
            moved = q.copy()
            moved[:, change.columns] += share * step
            angles = moved[:, change.columns]
            if ((angles < low) | (angles > high)).any():
                continue
            if (self._distances(moved) >= clear).all():
                return share
        return 0.0

    def _distances(self, q: np.ndarray) -> np.ndarray:
        """(M, F) distances of spheres at M configurations [m]."""
        state = Configuration(self._robot, q[0])
        return np.array([state.update(one).distances(self._shapes)[0] for one in q])


def _share(v: np.ndarray, change: np.ndarray, most: np.ndarray) -> float:
    """Share of a change of speeds that keeps them within most, where they were."""
    room = np.maximum(np.where(change > 0, most - v, most + v), 0.0)
    return float(min(1.0, (room / np.maximum(np.abs(change), 1e-12)).min()))


def _rebound(
    columns: np.ndarray, ends: np.ndarray, change: np.ndarray, knot: int
) -> Fade:
    """A change of speed at an impact that vanishes smoothly.

    It is a cubic spline on the knots, like what it is added to: accelerations are
    linear between samples.

    Args:
        columns: coordinates.
        ends: (3,) times of the impact, of a knot between and of the end [s].
        change: (n,) change of their speeds after the impact.
        knot: of the impact.
    """
    start, _, end = ends.tolist()
    at = np.r_[[start] * 3, ends, [end] * 3]
    rest = np.zeros_like(change)
    sides = [(1, change)], [(1, rest), (2, rest)]
    spline = scipy.interpolate.make_interp_spline(
        [start, end], [rest, rest], 3, at, sides
    )
    return Fade(columns, start, end, spline, knot)
