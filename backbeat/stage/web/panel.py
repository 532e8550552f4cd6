"""The panel of a simulation: what may be done to it, as pages offer and send it."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema_documents import key_text
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.kinds.setting_event import SETTINGS
from backbeat.mpc.disturbances.registry import Kind, lists
from backbeat.mpc.scenario.parts.sensing import STATES
from backbeat.mpc.scenario.parts.world import SHIPPED_ENGINES
from backbeat.optimization.terms.checks import MOST
from backbeat.stage.web.commands import Reader, nothing, number, one_of
from backbeat.stage.web.commands import name as one_name
from backbeat.stage.web.savings import DETAILS

# Limbs whose ends are pushed besides base and trunk, in the order they are offered.
PUSHED = ("neck", "left arm", "right arm", "left leg", "right leg")
# The most that a page may push with [N s], and how long a push is [s].
MOST_IMPULSE, PUSH_LENGTH = 300.0, 0.1
MOST_OFFSET = 0.4
# The most that a page may command a robot to walk at [m/s, m/s, rad/s].
MOST_SPEED = 5.0
# How far a target in task space is dragged along an axis, beyond what a hand can reach.
FARTHEST_DRAGGED = 0.8
# Most weights that a page may change at once.
MOST_WEIGHTS = 256
# Steps of a slider that is made of a schema.
STEPS = 100


@dataclass(frozen=True)
class Slider:
    """A setting with a number.

    Attributes:
        name: the setting.
        label, unit: as it is written.
        low, high, step: its range on the slider.
        scale: what a value is multiplied by to be written.
        hint: what it does.
        needs: "estimated" if it only tells there.
        usual: where it begins; None for the present value of the setting.
    """

    name: str
    label: str
    unit: str
    low: float
    high: float
    step: float
    hint: str
    scale: float = 1.0
    needs: str = ""
    usual: float | None = None


@dataclass(frozen=True)
class Toggle:
    """A setting that is on or off."""

    name: str
    label: str
    hint: str


SLIDERS = (
    Slider("tempo", "tempo", "×", 0.7, 1.3, 0.01, "requested speed of the behavior"),
    Slider(
        "beat_priority",
        "beat priority",
        "",
        0.0,
        1.0,
        0.01,
        "0: balance first, 1: beat at any cost",
    ),
    Slider("friction", "floor friction", "", 0.1, 1.2, 0.01, "0.1 is ice"),
    Slider(
        "plan_delay",
        "plan delay",
        "ms",
        0.0,
        0.1,
        0.002,
        "delay of each plan, unknown to the controllers",
        scale=1e3,
    ),
    Slider(
        "noise_scale",
        "sensor noise",
        "×",
        0.0,
        5.0,
        0.1,
        "factor on all errors of the sensors",
        needs="estimated",
    ),
)
TOGGLES = (
    Toggle("timing", "timing", "slow down and speed up"),
    Toggle("forces", "forces", "contact forces other than planned"),
    Toggle("posture", "posture", "lean and turn the body"),
    Toggle("steps", "steps", "steps that the behavior does not have"),
)
HANDS = ("left_hand", "right_hand")


def pushable(robot: RobotModel, links: list[str]) -> list[str]:
    """Those links that are offered to be pushed: base, trunk and the ends of limbs.

    Args:
        robot: the robot.
        links: names of its links that are seen; all of them are offered if its YAML
            does not say which joints its limbs have.
    """
    limbs = [role for role in PUSHED if role in robot.roles]
    if not limbs:
        return links
    ends = [robot.base_name, robot.trunk.name, *map(robot.roles.link, limbs)]
    return [name for name in dict.fromkeys(ends) if name in links] or links


def offers(robot: RobotModel, links: list[str]) -> dict[str, Any]:
    """What the page builds its panel from.

    Args:
        robot: the robot.
        links: names of its links that are seen.
    """
    return {
        "bodies": pushable(robot, links),
        "sliders": [asdict(slider) for slider in SLIDERS],
        "disturbances": {
            kind.name: [asdict(slider) for slider in numbers_of(kind)]
            for kind in offered()
        },
        "toggles": [asdict(toggle) for toggle in TOGGLES],
        "hands": [hand for hand in HANDS if hand.replace("_", " ") in robot.parts],
        "most impulse": 200.0,
        "most offset": MOST_OFFSET,
    }


def offered() -> list[Kind]:
    """The disturbances that have a group of their own made of their schemas."""
    return [kind for kind in lists() if kind.has_forces() and kind is not Push]


def numbers_of(kind: Kind) -> list[Slider]:
    """A slider for each number of a disturbance that has a least and a most."""
    found = []
    for item in fields(kind):
        told, usual = item.metadata, item.default
        if isinstance(usual, float) and {"ge", "le"} <= told.keys():
            low, high, label = told["ge"], told["le"], item.name.replace("_", " ")
            rest = low, high, (high - low) / STEPS, key_text(kind, item)
            unit = told.get("unit", "")
            found.append(Slider(item.name, label, unit, *rest, usual=usual))
    return found


def disturbance(value: Any) -> tuple[Kind, dict[str, float]]:
    """Reads {"name": NAME, "values": {KEY: NUMBER}}."""
    parts, kinds = _parts(value, {"name", "values"}), {k.name: k for k in offered()}
    kind = kinds[one_of(kinds)(parts["name"])]
    ranges = {s.name: number(s.low, s.high) for s in numbers_of(kind)}
    given = _parts(parts["values"], set(ranges))
    return kind, {name: read(given[name]) for name, read in ranges.items()}


def _parts(value: Any, names: set[str]) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != names:
        raise BackbeatError(f"an object with {' and '.join(sorted(names))}")
    return value


def _vector(value: Any, most: float) -> list[float]:
    if not isinstance(value, list) or len(value) != 3:
        raise BackbeatError("x, y and z")
    return [number(-most, most)(x) for x in value]


def _weights(value: Any) -> dict[str, float]:
    """Reads {SECTION.KEY: NUMBER, ...}; whether there are such, the run says."""
    if not isinstance(value, dict) or not 0 < len(value) <= MOST_WEIGHTS:
        raise BackbeatError(f"an object with 1 to {MOST_WEIGHTS} weights")
    return {one_name(key): number(0.0, MOST)(x) for key, x in value.items()}


def setting(value: Any) -> tuple[str, Any]:
    """Reads {"name": SETTING, "to": VALUE}."""
    parts = _parts(value, {"name", "to"})
    name, to = one_of(SETTINGS)(parts["name"]), parts["to"]
    if name in (*HANDS, "target"):
        return name, _vector(to, MOST_OFFSET if name in HANDS else FARTHEST_DRAGGED)
    if name == "weights":
        return name, _weights(to)
    return name, to if isinstance(to, bool) else number(-1e3, 1e3)(to)


def push(value: Any) -> tuple[str, list[float]]:
    """Reads {"body": LINK, "impulse": [X, Y, Z]}, in world axes [N s]."""
    parts = _parts(value, {"body", "impulse"})
    if not isinstance(parts["body"], str) or len(parts["body"]) > 64:
        raise BackbeatError("the name of a link")
    return parts["body"], _vector(parts["impulse"], MOST_IMPULSE)


def velocity(value: Any) -> list[float]:
    """Reads [FORWARD, LEFT, TURNING], in body axes [m/s, m/s, rad/s]."""
    return _vector(value, MOST_SPEED)


# What is done to a simulation.
SIMULATING: dict[str, Reader] = {
    "set": setting,
    "push": push,
    "disturb": disturbance,
    "drive": velocity,
    "undo": nothing,
    "reset": nothing,
    "save": nothing,
    "sense": one_of(STATES),
    "engine": one_of(SHIPPED_ENGINES),
    "detail": one_of(DETAILS),
}
