"""Declared numbers: unit, meaning and cost or limit beside the default.

The numbers of a program are the fields of a frozen dataclass. A field that `cost` or
`number` makes says all that there is to say about it:

    momentum: float = cost(
        10.0, Term("angular momentum", "dk", "m^2/s", lambda z: z.momentum)
    )

From the fields of a class follow the matrices of the program, the names and values of
costs and limits in explanations, how numbers go with the size of a robot, the keys of
files with units and help, and the tables of `docs/reference/weights.md`. A class that
inherits from another one and has one field more is a program with one term more. Other
fields of the class are no numbers, and left alone.
"""

from collections import namedtuple
from collections.abc import Callable
from dataclasses import Field, dataclass, field, fields, replace
from enum import Enum
from typing import Any, TypeVar

# From what a program offers at an instant, as `backbeat.mpc.horizon.unknowns.Unknowns`.
MakeRows = Callable[[Any], Any]
Numbers = TypeVar("Numbers")

# Powers of a robot's length with which quantities go by their unit, at the same
# gravity: times go with the root of it, and forces are counted in weights.
LENGTH_POWERS = {
    "": 0.0,
    "rad": 0.0,
    "rad/s": -0.5,
    "rad/s^2": -1.0,
    "m": 1.0,
    "m/s": 0.5,
    "m/s^2": 0.0,
    "m^2/s": 1.5,
    "m^2/s^2": 1.0,
    "s": 0.5,
    "1/s": -0.5,
    "1/s^2": -1.0,
    # Of weights on times: whole costs go with time.
    "1/(s^2 s)": -1.0,
    # Masses go with the cube of lengths.
    "N": 3.0,
    "weights": 0.0,
    "weights m": 1.0,
    "weights/s": -0.5,
    # Torques in shares of their limits.
    "limits": 0.0,
}


class On(Enum):
    """What a cost is on, and how it is summed over the horizon."""

    # The state, by time; that of the last knot counts for `PredictiveWeights.end`.
    STATE = "state, by time"
    # The same of a velocity, less what a slower phase rate takes off the reference's.
    PACED = "velocity at the phase rate, by time"
    # Time off the beat, with the weight that the DCM error makes of its two.
    BEAT = "time off the beat, by time"
    # The last state.
    END = "last state"
    # The input, by time.
    INPUT = "input, by time"
    # The dilation of an interval's time and its change to the next, by share of it.
    DILATION = "dilation, by share of the interval"
    CHANGE = "change of the dilation, by share of the intervals"
    # An instant: a program without a horizon.
    INSTANT = "instant"
    # Knots of a trajectory, and its intervals, by the time that they stand for.
    KNOT = "knots, by time"
    INTERVAL = "intervals, by time"


@dataclass(frozen=True)
class Term:
    """A cost: half its weight times the sum of the squares of its rows.

    Attributes:
        name: in explanations; {} stands for what it is of.
        formula: of the rows.
        unit: of the rows; one of `LENGTH_POWERS`.
        rows: makes them; None where a compiled function alone has them.
        compiled: whether one has them; costs of the trajectory and the whole-body
            program are evaluated in Python otherwise.
        on: what they are rows of.
        switch: setting of plans without which the quantity is held.
    """

    name: str
    formula: str
    unit: str
    rows: MakeRows | None = None
    on: On = On.STATE
    switch: str = ""
    compiled: bool = False

    @property
    def weight_unit(self) -> str:
        """Unit of the weight: one over the rows' squared and what they are summed by.

        An instant has no unit of its own.
        """
        is_by_time = self.on not in (On.END, On.INSTANT)
        is_simple = self.unit.isalpha()
        square = f"{self.unit}^2" if is_simple else f"({self.unit})^2"
        return f"1/({square} s)" if is_by_time else f"1/{square}"

    @property
    def length_power(self) -> float:
        """Power of length with which the weight goes, so that costs stay alike."""
        return -2 * LENGTH_POWERS[self.unit] + (0.5 if self.on is On.END else 0.0)


@dataclass(frozen=True)
class Declared:
    """What is declared of a number besides its default.

    Attributes:
        unit: of the number.
        help: what it is, in a sentence.
        length_power: power of a robot's length with which it goes.
        divides: whether scaling divides by the power of length instead of
            multiplying by its inverse, on which the last digit depends.
        without_steps: factor on it for a robot that may not step.
        cost: that it is the weight of.
        limit: what explanations call the limit that it sets.
        key: its name in files, where that is not the field's.
        in_files: whether files may set it.
        in_runs: whether a run under way may change it, if it is no size or switch.
    """

    unit: str
    help: str
    length_power: float
    divides: bool = False
    without_steps: float = 1.0
    cost: Term | None = None
    limit: str = ""
    key: str = ""
    in_files: bool = True
    in_runs: bool = True


def number(
    default: Any,
    unit: str,
    help: str,
    *,
    limit: str = "",
    divides: bool = False,
    without_steps: float = 1.0,
    in_files: bool = True,
    in_runs: bool = True,
) -> Any:
    """A field of a number that is no weight; see `Declared`."""
    power = LENGTH_POWERS[unit]
    told = Declared(
        unit,
        help,
        power,
        divides,
        without_steps,
        limit=limit,
        in_files=in_files,
        in_runs=in_runs,
    )
    return field(default=default, metadata={"declared": told})


def cost(
    default: float,
    term: Term,
    *,
    help: str = "",
    without_steps: float = 1.0,
    key: str = "",
) -> Any:
    """A field of the weight of a cost.

    Args:
        default: the weight.
        term: the cost.
        help: what there is to say besides.
        without_steps, key: see `Declared`.
    """
    name = term.name.replace(" of {}", "")
    text = f"{name[0].upper()}{name[1:]}." + (f" {help}" if help else "")
    told = Declared(
        term.weight_unit, text, term.length_power, True, without_steps, term, key=key
    )
    return field(default=default, metadata={"declared": told})


def declared_fields(numbers: Any) -> "list[Field[Any]]":
    """The fields of a dataclass, or of one of its values, that are declared."""
    return [item for item in fields(numbers) if "declared" in item.metadata]


def declared(item: "Field[Any]") -> Declared:
    """What is declared of a field."""
    found: Declared = item.metadata["declared"]
    return found


def key_of(item: "Field[Any]") -> str:
    """The name of a field in files."""
    return declared(item).key or item.name


def file_fields(numbers: Any) -> "list[Field[Any]]":
    """The fields of a dataclass that files may set."""
    return [item for item in declared_fields(numbers) if declared(item).in_files]


def declarations(numbers: object) -> dict[str, Declared]:
    """What is declared of the fields of a dataclass or of one of its values."""
    return {item.name: declared(item) for item in declared_fields(numbers)}


def costs_of(numbers: object, *on: On) -> list[tuple[Term, float]]:
    """Costs of a dataclass's value, each with its weight: those on these, or all."""
    return [
        (told.cost, float(getattr(numbers, name)))
        for name, told in declarations(numbers).items()
        if told.cost and (not on or told.cost.on in on)
    ]


def added_costs(numbers: object) -> list[tuple[Term, float]]:
    """Costs that no compiled function has, each with its weight."""
    return [(term, weight) for term, weight in costs_of(numbers) if not term.compiled]


def scaled(numbers: Numbers, x: float, **rest: Any) -> Numbers:
    """The same numbers for lengths that are x times as large, and some others.

    What is dimensionless stays, such as deviations of forces in weights.
    """
    changes: dict[str, Any] = {}
    for name, told in declarations(numbers).items():
        if power := told.length_power:
            value = getattr(numbers, name)
            factor = x ** abs(power) if told.divides or power > 0 else x**power
            divides = told.divides and power < 0
            parts = value if isinstance(value, tuple) else (value,)
            grown = [float(v / factor if divides else v * factor) for v in parts]
            changes[name] = tuple(grown) if isinstance(value, tuple) else grown[0]
    return replace(numbers, **(changes | rest))  # type: ignore[type-var]


def multiplied(numbers: Numbers, factors: dict[str, float], **rest: Any) -> Numbers:
    """The same numbers, some of them multiplied by factors, and some others."""
    changes = {name: x * getattr(numbers, name) for name, x in factors.items()}
    return replace(numbers, **(changes | rest))  # type: ignore[type-var]


def as_tuple(numbers: Any, kind: type[Any]) -> Any:
    """The fields that a class has of a value, as compiled functions read them.

    A whole number, as in `com_damping=2`, becomes what its field is: it would not fit.

    Args:
        numbers: the value, of the class or one that inherits from it.
        kind: a dataclass.
    """
    items = fields(kind)
    made = namedtuple(kind.__name__, [item.name for item in items])  # type: ignore[misc]
    return made(*(_of_kind(getattr(numbers, i.name), i.default) for i in items))


def _of_kind(value: Any, usual: Any) -> Any:
    if isinstance(usual, tuple):
        return tuple(_of_kind(x, y) for x, y in zip(value, usual, strict=True))
    return type(usual)(value)
