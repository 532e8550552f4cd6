"""TrajectoryProblem: complete definition of a motion to be optimized."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from backbeat.models.actuation.effort_limits import MotorRows
from backbeat.models.collision.shapes import NOTHING, CollisionModel
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.contact.cones import PATCH_MARGIN
from backbeat.models.contact.friction import PLANNED_FRICTION
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.contact_schedule import ContactSchedule
from backbeat.optimization.problem.tasks import CenterOfMassTask, FrameTask, PostureTask
from backbeat.optimization.problem.weights import TrajectoryWeights
from backbeat.optimization.terms.declared import number

Task = FrameTask | CenterOfMassTask | PostureTask


@dataclass(frozen=True)
class Limits:
    """Hard limits, as fractions of what the robot could do, each declared once.

    `docs/reference/weights.md` has them as a table.

    Attributes:
        contact_forces: least and most normal force of single contacts by name [N],
            in place of those of all.
    """

    torque: float = number(0.9, "", "Largest share of each joint's effort limit.")
    velocity: float = number(0.75, "", "Largest share of each joint's speed limit.")
    position_margin: float = number(
        0.01,
        "rad",
        "Distance kept from each joint stop; less where a joint slides, see "
        "`joint_units`.",
    )
    bend: float = number(
        0.0, "rad", "How far knees of standing limbs stay from straight; 0 for any."
    )
    friction: float = number(
        PLANNED_FRICTION, "", "Friction coefficient that the motion relies on."
    )
    friction_share: float = number(
        1.0,
        "",
        "Share of friction that knots may use; the rest is left to what happens "
        "between them.",
    )
    patch_share: float = number(PATCH_MARGIN, "", "Share of each patch, likewise.")
    contact_force: float = number(3.0, "weights", "Most normal force on one contact.")
    total_force: float = number(3.0, "weights", "Most normal force in total.")
    least_force: float = number(
        0.002, "weights", "Least normal force on a standing patch."
    )
    force_rate: float = number(
        20.0,
        "weights/s",
        "Fastest change of a patch's normal force; without it a jump would be a "
        "single knot of impulse.",
    )
    point_force: tuple[float, float] = number(
        (0.5, 20.0), "N", "Least and most normal force of a resting point."
    )
    contact_forces: Mapping[str, tuple[float, float]] = field(default_factory=dict)


# Usual cost of a unit of excess over an elastic bound.
EXCESS_COST = 1e3


@dataclass(frozen=True)
class Impact:
    """A contact that lasts one knot and exchanges momentum, as a drum stroke.

    Attributes:
        knot: knot of the impact.
        contact: name of the contact that hits.
        max_impulse: most normal impulse [N s].
        normal: of the surface, out of it, in world axes.
    """

    knot: int
    contact: str
    max_impulse: float
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class TrajectoryProblem:
    """A motion to be found, independent of how it is transcribed.

    Attributes:
        robot: the robot; its base may be free or fixed.
        times: (N,) knot times [s], increasing from 0.
        schedule: contacts over time.
        q_start: (nq,) configuration from which the motion starts.
        posture: (nq,) nominal posture, or (N, nq).
        tasks: what the motion shall do.
        impacts: contacts of a single knot.
        limits: hard limits.
        weights: smoothing costs.
        excess_cost: cost of a unit of excess over an elastic bound, in scaled rows, of
            a solver that allows it on its way: more than any multiplier, so that there
            is none in the end (Nocedal, Wright, "Numerical Optimization", 2006,
            section 17.2).
        v_start, vdot_start: (nv,) velocity and acceleration there, of a free base;
            None starts at rest.
        wrench_start, wrench_end: wrenches of contacts in contact axes [N m, N] at the
            first and last knot, by name; None for those beside them.
        end_at_rest: whether the last velocity must vanish.
        q_end: (nq,) configuration at rest in which the motion ends; None leaves it to
            the tasks.
        collisions: shapes that keep their distance.
        near: (sphere, knots) where a sphere may come nearer than the margin, as a
            stick tip at the drum it strikes.
        guess: (N, nq) where the search starts; None stays at q_start.
        guess_is_clear: whether the guess finds its way around all obstacles. Bounds
            then hold from the start, however roughly it moves: smoothed without
            them first, it would cut through.
        knots_start: (3, nq) configurations one interval before the first knot, at it
            and at the next, of a motion that goes on from another, in place of q_start.
        knots_end: (2, nq) those at the last two knots, of one that another goes on
            from, in place of q_end.
        strikers: contacts that hit in the motion that this one is a part of.
        beside: the intervals before the first and after the last knot of the motion
            that this one is a part of [s]; 0 where there is none.
        ends: (nq,) configurations at the ends of the motion that this one is a part of,
            which may be nearer to joint stops than others.
    """

    robot: RobotModel
    times: np.ndarray
    schedule: ContactSchedule
    q_start: np.ndarray
    posture: np.ndarray
    tasks: Sequence[Task] = ()
    impacts: Sequence[Impact] = ()
    limits: Limits = field(default_factory=Limits)
    weights: TrajectoryWeights = field(default_factory=TrajectoryWeights)
    excess_cost: float = EXCESS_COST
    v_start: np.ndarray | None = None
    vdot_start: np.ndarray | None = None
    wrench_start: Mapping[str, np.ndarray] | None = None
    wrench_end: Mapping[str, np.ndarray] | None = None
    end_at_rest: bool = True
    q_end: np.ndarray | None = None
    collisions: CollisionModel = NOTHING
    near: Sequence[tuple[int, np.ndarray]] = ()
    guess: np.ndarray | None = None
    guess_is_clear: bool = False
    knots_start: np.ndarray | None = None
    knots_end: np.ndarray | None = None
    strikers: Sequence[str] = ()
    beside: tuple[float, float] = (0.0, 0.0)
    ends: Sequence[np.ndarray] = ()

    def __post_init__(self) -> None:
        """Raises BackbeatError when the pieces do not fit together."""
        if len(self.times) < 4 or not (np.diff(self.times) > 0).all():
            raise BackbeatError("a trajectory needs at least 4 increasing knot times")
        if abs(self.times[0]) > 1e-12:
            raise BackbeatError("knot times start at 0")
        if self.q_end is not None and not self.end_at_rest:
            raise BackbeatError("a motion that ends in a given configuration rests")
        if self.knots_end is not None and self.end_at_rest:
            raise BackbeatError("a motion that another goes on from does not rest")
        if self.v_start is not None and not self.robot.floating:
            raise BackbeatError("a motion that starts moving needs a free base")
        for name in (*self.contact_names, *self.limits.contact_forces):
            if name not in self.robot.contacts:
                raise unknown_name("contact", name, self.robot.contacts)
        for name, (low, high) in self.limits.contact_forces.items():
            if not 0 <= low < high:
                raise BackbeatError(
                    f"contact_forces of {name} are {low:g} to {high:g} N; the least is "
                    "0 or more and below the most"
                )
        for impact in self.impacts:
            if not 0 < impact.knot < self.num_knots - 1:
                raise BackbeatError(
                    f"{impact.contact} cannot hit at knot {impact.knot}: impacts are "
                    "between the first knot and the last"
                )

    @property
    def num_knots(self) -> int:
        """Number of knots N."""
        return len(self.times)

    @cached_property
    def contact_names(self) -> tuple[str, ...]:
        """Every contact that stands or hits, also of what this is a part of."""
        hits = [impact.contact for impact in self.impacts]
        names = [*self.schedule.contact_names, *hits, *self.strikers]
        return tuple(dict.fromkeys(names))

    @cached_property
    def motor_rows(self) -> MotorRows:
        """Limits of motors that give less at speed or drive two joints."""
        return self.robot.motors.rows(self.limits.torque)

    @property
    def free_knots(self) -> range:
        """Knots whose configuration is to be found; those beside them are given."""
        is_open = self.q_end is None and self.knots_end is None
        return range(2, self.num_knots - (0 if is_open else 2))

    @property
    def outer_ends(self) -> Sequence[np.ndarray]:
        """(nq,) configurations that were given for the ends of the whole motion."""
        return self.ends or [q for q in (self.q_start, self.q_end) if q is not None]

    @property
    def starts_at_rest(self) -> bool:
        """Whether nothing moves at the start."""
        return self.v_start is None and self.knots_start is None

    @cached_property
    def start_knots(self) -> np.ndarray:
        """(3, nq) one control point before the first knot, that knot and the next.

        The cubic B-spline with such knots starts with the configuration, velocity and
        acceleration that are given (de Boor, "A Practical Guide to Splines", 1978).
        """
        if self.knots_start is not None:
            return self.knots_start
        knots = np.tile(self.q_start, (3, 1))
        if self.v_start is not None:
            h, v = self.times[1], self.v_start
            a = np.zeros_like(v) if self.vdot_start is None else self.vdot_start
            for q, steps in zip(knots, (-1, 0, 1), strict=True):
                d = steps * h * v + (3 * steps**2 - 1) * h**2 / 6 * a
                box_plus(self.q_start, d, 1.0, True, q)
        return knots

    def put_ends(self, q: np.ndarray) -> None:
        """Writes the configurations that are given into (N, nq) ones."""
        q[:2] = self.start_knots[1:]
        if self.q_end is not None:
            q[-2:] = self.q_end
        if self.knots_end is not None:
            q[-2:] = self.knots_end

    def strikes(self, contact: str) -> bool:
        """Whether a contact ever hits, or only stands and rests."""
        return contact in self.strikers or any(
            impact.contact == contact for impact in self.impacts
        )

    def knots(self, start: float, end: float) -> np.ndarray:
        """Indices of the knots in [start, end] [s]."""
        inside = (self.times >= start - 1e-9) & (self.times <= end + 1e-9)
        return np.where(inside)[0]

    def time_scaled(self, factor: float) -> "TrajectoryProblem":
        """The same problem with `factor` times the time."""
        return self.retimed([factor * p.duration for p in self.schedule.phases])

    def retimed(self, durations: Sequence[float]) -> "TrajectoryProblem":
        """The same problem with other durations of its phases [s].

        Knots keep their places within the phases, and tasks their knots.
        """
        phases = zip(self.schedule.phases, durations, strict=True)
        schedule = ContactSchedule(tuple(replace(p, duration=T) for p, T in phases))
        old, new = self.schedule.switch_times, schedule.switch_times
        return replace(self, times=np.interp(self.times, old, new), schedule=schedule)
