"""Constraints of a trajectory's program, each declared once.

From the list of them follow the layout of the inequality rows, the names in reports,
which bounds are elastic, and the tables of `docs/reference/weights.md`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from backbeat.models.contact.cones import CONE_ROWS
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem


class Thing(NamedTuple):
    """A joint, contact, frame, body or solid, and which part of it, if one is meant."""

    name: str
    part: str = ""

    def __str__(self) -> str:
        """Readable name, e.g. "stick (shaft)"."""
        return f"{self.name} ({self.part})" if self.part else self.name


class RowName(NamedTuple):
    """Subject of a row of the program or of a check of a motion.

    Attributes:
        kind: such as "torque" or "distance".
        things: what it is of; two where one is in the other.
    """

    kind: str
    things: tuple[Thing, ...] = ()

    @property
    def what(self) -> str:
        """Readable names of the things."""
        return in_each_other(self.things)

    def __str__(self) -> str:
        """Readable name, e.g. "torque of JOINT"."""
        return f"{self.kind} of {self.what}" if self.things else self.kind

    @staticmethod
    def of(kind: str, name: str, part: str = "") -> "RowName":
        """The name of a row about one thing."""
        return RowName(kind, (Thing(name, part),))


def in_each_other(things: Iterable[Thing]) -> str:
    """Readable names of things, of which one is in the other."""
    return " in ".join(map(str, things))


class Subjects(NamedTuple):
    """What the constraints of a program are of.

    Attributes:
        problem: that is transcribed.
        frames: names of frames in the order of the program; the contacts come first.
        rated: names of contacts whose load is a variable.
    """

    problem: TrajectoryProblem
    frames: tuple[str, ...]
    rated: tuple[str, ...]


@dataclass(frozen=True)
class Constraint:
    """A constraint: rows between bounds, or equal to zero.

    Attributes:
        kind: what reports call it.
        formula: of its rows.
        unit: of its rows.
        limits: fields of `Limits` that bound them; none for what the problem says.
        things: what its rows are of, one a row; None for an equation.
        is_elastic: whether the search may violate it at first, see
            `backbeat.optimization.interior_point.barrier`; wrenches start feasible.
    """

    kind: str
    formula: str
    unit: str
    limits: tuple[str, ...] = ()
    things: Callable[[Subjects], list[Thing]] | None = None
    is_elastic: bool = True


def _joints(of: Subjects) -> list[Thing]:
    return [Thing(name) for name in of.problem.robot.joint_names]


def _contacts(of: Subjects, times: int = 1) -> list[Thing]:
    return [Thing(name) for name in of.problem.contact_names for _ in range(times)]


def _frames(of: Subjects) -> list[Thing]:
    return [Thing(name) for name in of.frames for _ in range(6)]


def _spheres(of: Subjects) -> list[Thing]:
    return [Thing(s.link, s.part) for s in of.problem.collisions.spheres]


def _motors(of: Subjects) -> list[Thing]:
    joints = of.problem.robot.joint_names
    return [
        Thing(joints[a], f"with {joints[b]}" if a != b else "speed")
        for a, b in of.problem.motor_rows.joints
    ]


# Inequality rows of a knot, in the order of `RowLayout`, by its fields.
ROWS = {
    "torque": Constraint("torque", "tau / limit", "", ("torque",), _joints),
    "position": Constraint(
        "position", "q", "rad", ("position_margin", "bend"), _joints
    ),
    "velocity": Constraint("velocity", "d", "rad/s", ("velocity",), _joints),
    "cone": Constraint(
        "friction",
        "A w, of the contact wrench cone",
        "weights",
        ("friction", "friction_share", "patch_share"),
        lambda of: _contacts(of, CONE_ROWS),
        is_elastic=False,
    ),
    "normal": Constraint(
        "normal force",
        "w, normal force",
        "weights",
        ("contact_force", "least_force", "point_force", "contact_forces"),
        _contacts,
        is_elastic=False,
    ),
    "frame": Constraint("task bound", "(log R_GF, p_GF)", "rad, m", (), _frames),
    "collision": Constraint("distance", "of spheres to solids", "m", (), _spheres),
    "midpoint": Constraint(
        "distance between knots", "the same, half way between knots", "m", (), _spheres
    ),
    "motor": Constraint(
        "torque",
        "A tau + B v, of motors at speed and of pairs",
        "",
        ("torque",),
        _motors,
    ),
    "rate": Constraint(
        "force rate",
        "phi_k - phi_k-1",
        "weights",
        ("force_rate",),
        lambda of: [Thing(name) for name in of.rated],
        is_elastic=False,
    ),
    "total": Constraint(
        "total force",
        "sum of phi",
        "weights",
        ("total_force",),
        lambda of: [Thing("all contacts")],
        is_elastic=False,
    ),
}
# What has to vanish.
DYNAMICS = Constraint("dynamics", "base rows of tau; phi - normal force", "weights")
TARGET = Constraint("target", "(log R_GF, p_GF), of contacts and tasks", "rad, m")
REST = Constraint("rest at the end", "d_N-1, where a motion ends at rest", "rad/s")
EQUATIONS = (DYNAMICS, TARGET, REST)


def things_of(of: Subjects) -> dict[str, list[Thing]]:
    """What each row is of, by field of `RowLayout`."""
    return {key: row.things(of) for key, row in ROWS.items() if row.things}


def row_names(of: Subjects) -> list[RowName]:
    """Name of each inequality row."""
    return [
        RowName(ROWS[key].kind, (thing,))
        for key, things in things_of(of).items()
        for thing in things
    ]


def constraint_table() -> str:
    """Markdown table of all constraints."""
    head = "| constraint | rows | bounds | elastic |\n|---|---|---|---|\n"
    return head + "".join(
        f"| {c.kind} | {c.formula}{f' [{c.unit}]' if c.unit else ''} | {_bounds(c)} | "
        f"{'yes' if c.is_elastic else 'no'} |\n"
        for c in (*ROWS.values(), *EQUATIONS)
    )


def _bounds(constraint: Constraint) -> str:
    """By which limits the rows are bounded."""
    if constraint in EQUATIONS:
        return "zero"
    return ", ".join(f"`{name}`" for name in constraint.limits) or "of the problem"
