"""Curves: a continuous motion whose control points are the knots."""

import math

import numpy as np
import scipy
from pydrake.math import RigidTransform

from backbeat.models.dynamics.edges import WHOLE, edge_offset
from backbeat.models.dynamics.kinematic_tree import make_workspace
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.kinematics.limb import Limb, Movement, put_limb
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem
from backbeat.optimization.reconstruction.base_path import move_base, unit_quaternion
from backbeat.optimization.reconstruction.fade import Fade, fade
from backbeat.optimization.reconstruction.flight import FlightMotion, free_flight
from backbeat.optimization.reconstruction.knot_splines import (
    control_point_breaks,
    greville_times,
    knot_spline,
)
from backbeat.optimization.reconstruction.rebounds import Rebounds

# Longest time over which a motion forgets a correction beside it [s].
FADE = 0.1
# Steps in which a flight is integrated [s], and how often it and the limbs that it
# moves are made to agree: each round leaves three quarters of what they differ by, and
# that is a force beside the friction cone where a foot has just landed.
STEP, ROUNDS = 0.005, 6


class Curves:
    """The curves whose control points are the knots.

    The transcription's velocities and accelerations are those of the cubic
    B-spline with the knots as control points, at the knots (de Boor, "A Practical
    Guide to Splines", 1978): its acceleration is linear between them and does not
    ring where forces change fast. It passes h^2 a / 6 beside a knot, which a foot
    in stance does not notice, for its limb is put where the contact stands.

    A stick has to be where it should, on time: the knots of its limb are moved to
    where that is so beside the trunk's curve, and interpolating splines pass through
    them, one a swing, broken where an impact breaks the velocity. So do those of a
    robot whose base is held, which has no balance to keep.

    What breaks there is what a blow can break: the knots would have all joints of an
    arm turn round at once, a blow on the tip turns the light wrist. The motion leaves
    a hit as the blow has it, and goes over to that of the knots within a while.
    """

    def __init__(self, solution: TrajectorySolution) -> None:
        problem = solution.transcription.problem
        self.robot = robot = problem.robot
        self.times = times = problem.times
        self._q = q = solution.q.copy()
        if robot.floating:
            for k in range(1, len(q)):  # one of the two signs is continuous
                if q[k, :4] @ q[k - 1, :4] < 0:
                    q[k, :4] *= -1
        self._end_at_rest = problem.end_at_rest
        if robot.floating:
            ends = q[-1] if problem.end_at_rest else 2 * q[-1] - q[-2]
            before = problem.start_knots[:1].copy()
            if before[0, :4] @ q[0, :4] < 0:
                before[:, :4] *= -1
            self._smooth = scipy.interpolate.BSpline(
                control_point_breaks(times), np.r_[before, q, ends[None]], 3
            )
        else:
            end = "clamped" if problem.end_at_rest else "not-a-knot"
            self._smooth = scipy.interpolate.CubicSpline(
                times, q, bc_type=("clamped", end)
            )
        # Limb joints, knots where their pieces start, and the pieces.
        self._limbs: list[
            tuple[np.ndarray, list[int], list[scipy.interpolate.BSpline]]
        ] = []
        self._limb_fades: list[Fade] = []
        self._base_fades: list[Fade] = []
        for contact in solution.transcription.contacts:
            if problem.strikes(contact):
                self._add_limb(problem, contact)
        self.flights = list(problem.schedule.flights()) if robot.floating else []
        for _ in range(ROUNDS if self.flights else 1):
            self._limb_fades = self._fade_limbs(problem, solution)
            self._base_fades = self._fade_base()
        rebounds = Rebounds(solution.transcription, self.sample)
        for impact in problem.impacts:
            self._limb_fades += rebounds.after(impact)

    def _add_limb(self, problem: TrajectoryProblem, contact: str) -> None:
        limb = self.robot.contacts[contact].limb
        last = len(self._q) - 1
        middles = 0.5 * (self.times[1:] + self.times[:-1])
        stands = problem.schedule.active(middles, contact)
        hits = {i.knot for i in problem.impacts if i.contact == contact}
        cuts = [k for k in range(1, last) if k in hits or stands[k - 1] != stands[k]]
        if len(limb) == 0:
            return
        columns = self.robot.base_positions + limb
        times = greville_times(self.times, [0, *cuts, last])
        knots = self._limb_knots(contact, columns, times)
        rest = np.zeros(len(limb))
        end = rest if problem.end_at_rest else None
        whole = knot_spline(times, knots, self.times, (rest, end))
        # Where the contact stands, it decides, and the whole spline leads there.
        self._limbs.append((columns, [0], [whole]))
        starts, pieces = [0, *cuts], []
        for a, b in zip(starts, [*cuts, last], strict=True):
            if stands[a]:
                pieces.append(whole)
                continue
            part = slice(a, b + 1)
            ends = (
                self._side(contact, a, a > 0 and stands[a - 1], a == 0),
                self._side(contact, b, b < last and stands[b], b == last),
            )
            pieces.append(knot_spline(times[part], knots[part], self.times[part], ends))
        self._limbs[-1] = (columns, starts, pieces)

    def _limb_knots(
        self, contact: str, columns: np.ndarray, times: np.ndarray
    ) -> np.ndarray:
        """(N, n) joints of a limb that put its contact where the knots have it."""
        beside, v, vdot = self.sample(times, np.arange(len(times)))
        state = Configuration(self.robot, self._q[0])
        knots = self._q[:, columns].copy()
        for k, q in enumerate(beside):
            state.update(self._q[k])
            q[columns] = knots[k]
            X_WC = state.pose(contact)
            knots[k] += self._correction(contact, q, 0 * v[k], 0 * vdot[k], X_WC)[0]
        return knots

    def _side(
        self, contact: str, k: int, stands: bool, is_end: bool
    ) -> np.ndarray | None:
        """Velocity of a limb where a swing of it begins or ends; None for any."""
        limb = self.robot.contacts[contact].limb
        if stands:
            q, v, _ = self.sample(self.times[k : k + 1], k)
            change = self._correction(contact, q[0], v[0], np.zeros_like(v[0]), None)
            return np.asarray(v[0, self.robot.base_velocities + limb] + change[1])
        return np.zeros(len(limb)) if is_end and (k == 0 or self._end_at_rest) else None

    def _fade_limbs(
        self, problem: TrajectoryProblem, solution: TrajectorySolution
    ) -> list[Fade]:
        """Joins times at which contacts are held less to those at which they are more.

        What puts a limb onto its contact is small but not zero at a switch; it
        fades out within the swing, or the roll, without a jump up to the acceleration.
        """
        self._limb_fades, fades = [], []
        for contact in solution.transcription.contacts:
            frame = self.robot.contacts[contact]
            if len(frame.limb) == 0:
                continue
            columns = self.robot.base_positions + frame.limb
            for t, less, X_WC, edge in problem.schedule.releases(contact):
                length = math.copysign(min(FADE, 0.5 * abs(less)), less)
                k = int(np.searchsorted(self.times, t - 1e-9)) - (less < 0)
                q, v, vdot = self.sample(np.array([t]), k)
                change = self._correction(contact, q[0], v[0], vdot[0], X_WC, edge)
                if problem.strikes(contact):
                    # A stick that starts to move may do so with a jerk.
                    change[2] = 0.0
                fades.append(fade(columns, t, length, change))
        return fades

    def _fade_base(self) -> list[Fade]:
        """Joins stances to the flights beside them: the base has their velocity."""
        self._base_fades, fades = [], []
        for start, end in self.flights:
            grid = np.linspace(start, end, max(2, round((end - start) / STEP)) + 1)
            motion = self.fly(grid)
            for i, t, way in ((0, start, -1), (-1, end, 1)):
                _, v, vdot = self.sample(np.array([t]), 0)
                change = np.zeros((3, 6))
                change[1] = motion.v[i] - v[0, :6]
                change[2] = motion.vdot[i] - vdot[0, :6]
                fades.append(fade(np.arange(6), t, way * FADE, change))
        return fades

    def fly(self, t: np.ndarray) -> FlightMotion:
        """The base at times t of a flight, which begins and ends with them."""
        middles = 0.5 * (t[1:] + t[:-1])
        grid = np.insert(t, np.arange(1, len(t)), middles)
        k = np.searchsorted(self.times, grid + 1e-9) - 1
        return free_flight(self.robot, grid, *self.sample(grid, k))

    def _correction(
        self,
        contact: str,
        q: np.ndarray,
        v: np.ndarray,
        vdot: np.ndarray,
        X_WC: RigidTransform | None,
        edge: int = WHOLE,
    ) -> np.ndarray:
        """(3, n) change of a limb's joints, speeds, accelerations for its contact.

        Without a pose the place is taken for right.
        """
        robot, frame = self.robot, self.robot.contacts[contact]
        first = 3 if frame.is_point else 0
        movement = Movement(q.copy(), v.copy(), vdot.copy())
        change = np.zeros((3, len(frame.limb)))
        limb = Limb(
            frame.frame.body,
            frame.frame.R_PF,
            frame.frame.p_PF,
            first,
            frame.rolled_width,
            float(edge_offset(frame, edge)),
            frame.limb,
            np.eye(3) if X_WC is None else X_WC.rotation().matrix(),
            np.zeros(3) if X_WC is None else X_WC.translation(),
            X_WC is not None,
        )
        ws = make_workspace(robot.tree)
        put_limb(robot.tree, robot.gravity, ws, limb, movement, change)
        return change

    def sample(self, u: np.ndarray, k: int | np.ndarray) -> tuple[np.ndarray, ...]:
        """q, v, vdot at times u, each inside the interval after its knot k."""
        derivatives = [self._smooth(u, n) for n in range(3)]
        for columns, starts, pieces in self._limbs:
            which = np.searchsorted(starts, np.broadcast_to(k, u.shape), "right") - 1
            for i in np.unique(which):
                at = np.ix_(which == i, columns)
                for n in range(3):
                    derivatives[n][at] = pieces[i](u[which == i], n)
        for change in self._limb_fades:
            inside = change.covers(u, k)
            at = np.ix_(inside, change.columns)
            for n in range(3):
                derivatives[n][at] += change.at(u[inside], n)
        q, v, vdot = self._join(derivatives)
        for change in self._base_fades:
            inside = change.covers(u, k)
            move_base(q, v, vdot, inside, [change.at(u[inside], n) for n in range(3)])
        return q, v, vdot

    def _join(self, derivatives: list[np.ndarray]) -> tuple[np.ndarray, ...]:
        """q, v, vdot from the derivatives of the coordinates."""
        q, dq, ddq = derivatives
        if not self.robot.floating:
            return q, dq, ddq
        q[:, :4], w, wdot = unit_quaternion(q[:, :4], dq[:, :4], ddq[:, :4])
        return q, np.c_[w, dq[:, 4:]], np.c_[wdot, ddq[:, 4:]]
