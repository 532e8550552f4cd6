"""Weights that a run under way may change, by section and key, as `predictive.com`."""

from collections.abc import Mapping

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.optimization.terms.declared import (
    Declared,
    declared,
    file_fields,
    key_of,
)


def declared_in_runs(weights: ControllerWeights) -> dict[str, Declared]:
    """What is declared of the numbers that a run may change.

    Sizes and switches are not among them: the programs are allocated for those.
    """
    return {
        f"{section}.{key_of(item)}": declared(item)
        for section, numbers in vars(weights).items()
        for item in file_fields(numbers)
        if isinstance(item.default, float) and declared(item).in_runs
    }


def values_in_runs(weights: ControllerWeights) -> dict[str, float]:
    """Those numbers, at a scale of one."""
    told = weights.to_dict()
    names = (name.partition(".") for name in declared_in_runs(weights))
    return {f"{section}.{key}": told[section][key] for section, _, key in names}


def changed_in_run(
    weights: ControllerWeights, changes: Mapping[str, float], where: str
) -> ControllerWeights:
    """Weights with changes of a run, checked.

    Args:
        weights: as the run began.
        changes: by section and key.
        where: names their source in errors.

    Raises:
        BackbeatError: an unknown name, or a value that makes no sense.
    """
    known, told = declared_in_runs(weights), dict[str, dict[str, float]]()
    for name, value in changes.items():
        if name not in known:
            raise unknown_name(f"weight of {where}", name, list(known))
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BackbeatError(f"{where}: {name} is a number, not {value!r:.40}")
        section, _, key = name.partition(".")
        told.setdefault(section, {})[key] = float(value)
    return weights.changed(told, where)
