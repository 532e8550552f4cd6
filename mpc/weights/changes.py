"""Changes of weights: the numbers that a file or a scenario gives, by section and key.

Schemas follow from what is declared: every number of `PredictiveWeights`,
`WholeBodyGains` and `Recovery` has its key, and those that are left out stay.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, make_dataclass, replace
from typing import Any, TypeVar, get_origin

from backbeat.models.common.schema import key
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.terms.declared import file_fields, key_of
from backbeat.mpc.whole_body.programs.gains import WholeBodyGains

Numbers = TypeVar("Numbers")


def _changes_of(numbers: type[Any], name: str) -> type[Any]:
    """A schema with the keys of a dataclass, all of them optional.

    It is found by its name in this module, as other processes need it.
    """
    items = []
    for item in file_fields(numbers):
        kind: Any = list[float] if get_origin(item.type) is tuple else item.type
        declared = item.metadata["declared"]
        told = {"unit": declared.unit, "help": declared.help}
        items.append((key_of(item), kind | None, field(default=None, metadata=told)))
    return make_dataclass(name, items, namespace={"__module__": __name__})


PredictiveChanges = _changes_of(PredictiveWeights, "PredictiveChanges")
GainChanges = _changes_of(WholeBodyGains, "GainChanges")
RecoveryChanges = _changes_of(Recovery, "RecoveryChanges")


@dataclass
class WeightChanges:
    """Weights and gains that are not those that ship."""

    predictive: PredictiveChanges = key(PredictiveChanges)  # type: ignore[valid-type]
    """Of the predictive program."""
    whole_body: GainChanges = key(GainChanges)  # type: ignore[valid-type]
    """Of the whole-body program."""
    stance: GainChanges = key(GainChanges)  # type: ignore[valid-type]
    """Of the whole-body program in stance without steps."""


def given(changes: Any) -> dict[str, Any]:
    """What is given of changes, by key; sections of which nothing is are left out."""
    found: dict[str, Any] = {}
    for item in fields(changes):
        value = getattr(changes, item.name)
        if hasattr(value, "__dataclass_fields__"):
            value = given(value) or None
        if value is not None:
            found[item.name] = value
    return found


def changed(numbers: Numbers, told: Mapping[str, Any]) -> Numbers:
    """Numbers with those of a mapping by key; a whole number may stand for any."""
    values: dict[str, Any] = {}
    for item in fields(numbers):  # type: ignore[arg-type]
        if (value := told.get(key_of(item))) is not None:
            values[item.name] = _like(value, item.default)
    return replace(numbers, **values)  # type: ignore[type-var]


def _like(value: Any, usual: Any) -> Any:
    """A value as its default is: a tuple for a list, a float for a whole number."""
    if isinstance(usual, tuple) and isinstance(value, list | tuple):
        return tuple(_like(x, y) for x, y in zip(value, usual, strict=False)) + tuple(
            value[len(usual) :]
        )
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(usual, float) and is_whole and abs(value) < 1e300:
        return float(value)
    return value
