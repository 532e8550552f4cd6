"""Two runs of one behavior, side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.control.own_controllers import controller_in_words
from backbeat.mpc.runs.balance import Balance, find_balance
from backbeat.mpc.runs.record import RunRecord
from backbeat.mpc.weights.controller_weights import read_all_weights
from backbeat.report.plots.measures import MEASURES, Measure

# What a file says where the other one says nothing.
NOTHING = "–"


@dataclass(frozen=True)
class Comparison:
    """Two runs of one behavior; `compare` makes it.

    Attributes:
        first, second: the runs.
    """

    first: RunRecord
    second: RunRecord

    @property
    def both(self) -> tuple[RunRecord, RunRecord]:
        """The runs."""
        return self.first, self.second

    @cached_property
    def balances(self) -> tuple[Balance | None, Balance | None]:
        """Their balance."""
        return find_balance(self.first), find_balance(self.second)

    @cached_property
    def settings(self) -> list[tuple[str, str, str]]:
        """Names and values of settings, versions and builds that differ."""
        a, b = (dict(_settings(record)) for record in self.both)
        names = list(a) + [name for name in b if name not in a]
        return [
            (name, a.get(name, NOTHING), b.get(name, NOTHING))
            for name in names
            if a.get(name) != b.get(name)
        ]

    @cached_property
    def figures(self) -> list[tuple[Measure, float | None, float | None]]:
        """Figures that at least one of the runs has, of both."""
        first, second = zip(self.both, self.balances, strict=True)
        rows = [(m, m.value(*first), m.value(*second)) for m in MEASURES]
        return [row for row in rows if row[1:] != (None, None)]

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Name, both values, their difference and the unit of every figure."""
        found = []
        for measure, a, b in self.figures:
            change = None if a is None or b is None else b - a
            texts = (measure.text(a), measure.text(b), measure.text(change, sign=True))
            found.append((measure.name, *texts, measure.unit))
        return found


def compare(first: RunRecord, second: RunRecord) -> Comparison:
    """Puts two runs side by side.

    Raises:
        BackbeatError: they are not of one behavior of one robot.
    """
    if first.name != second.name:
        raise BackbeatError(
            f"{first.source} is a run of {first.name} and {second.source} one of "
            f"{second.name}; only runs of one behavior can be compared"
        )
    if first.robot_name != second.robot_name:
        raise BackbeatError(
            f"{first.source} is a run of {first.name} on {first.robot_name} and "
            f"{second.source} one on {second.robot_name}; only runs of one robot can "
            "be compared"
        )
    robots = [record.story["robot"] for record in (first, second)]
    for what in ("name", "equipment", "mount", "joints"):
        a, b = (robot[what] for robot in robots)
        if a != b:
            raise BackbeatError(
                f"{first.source} and {second.source} are not runs of one robot: their "
                f"{what} differs"
            )
    return Comparison(first, second)


def _settings(record: RunRecord) -> Iterator[tuple[str, str]]:
    """Settings of a run, its versions and the build of its behavior, by name."""
    told = dict(record.story["scenario"])
    # All of them are there, and not only those that a scenario gives.
    told.pop("weights", None)
    told.pop("recovery", None)
    yield from _flat("", told)
    yield from _flat("weights", _weights(record))
    controller = record.story.get("controller")
    yield "controller", controller_in_words(controller) if controller else "ours"
    for name, version in record.story["versions"].items():
        yield f"version of {name}", str(version)
    yield "key of the behavior", str(record.story["behavior_key"])[:12]


def _weights(record: RunRecord) -> Mapping[str, Any]:
    """Weights of a run by section and key; an earlier Backbeat kept fewer."""
    told = record.story.get("weights")
    if not told:
        return {}
    if "terms" in record.story:
        # Their classes are in a file of the user's own; all weights are in the story.
        return dict(told)
    weights = read_all_weights(told, record.source)
    found = weights.to_dict()
    return {name: found[name] for name in found if name in told or name == "predictive"}


def _flat(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Leaves of nested data with their paths, as `pushes.0.time`."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{path}.{key}" if path else str(key), inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for i, inner in enumerate(value):
            yield from _flat(f"{path}.{i}", inner)
    else:
        yield path, _words(value)


def _words(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return {True: "on", False: "off", None: "not given"}.get(value, str(value))
