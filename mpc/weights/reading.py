"""Weights of the predictive program from plain data, also by their earlier names."""

import logging
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.optimization.terms.checks import MOST

# Names of earlier versions, as run files and other programs still have them.
OLD_NAMES = {
    "calm_beat": "balanced_beat",
    "theta": "time_dilation",
    "theta_change": "time_dilation_change",
    "jump": "footstep_adjustment",
    "slowest": "min_phase_rate",
    "fastest": "max_phase_rate",
    "hurry": "max_phase_rate_change",
    "reach": "max_step_length",
    "apart": "min_step_width",
    "crouch": "com_lowering",
    "rise": "max_com_rise",
    "calm": "dcm_error_low",
    "lost": "dcm_error_high",
}


def read_weights(
    data: Mapping[str, Any],
    where: str,
    kind: type[PredictiveWeights] = PredictiveWeights,
) -> PredictiveWeights:
    """Weights from plain data; those that are not named keep their defaults.

    Names that changed are accepted under their old ones.

    Args:
        data: values by name, as JSON has them.
        where: names the source in errors.
        kind: the class, of terms of one's own.

    Raises:
        BackbeatError: an unknown name, a name given twice, or an invalid value.
    """
    usual = kind()
    known = {f.name: type(getattr(usual, f.name)) for f in fields(usual)}
    values = {}
    for name, value in _under_current_names(data, where).items():
        if name not in known:
            raise unknown_name(f"key in {where}", name, known)
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if known[name] is float and is_number and abs(value) <= MOST:
            value = float(value)
        if known[name] is tuple and isinstance(value, list):
            value = tuple(value)
            if not all(isinstance(x, float | int) for x in value):
                raise BackbeatError(f"{where}: {name} needs numbers")
        values[name] = value
    return replace(usual, **values).check()


def _under_current_names(data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Values by current names; says in one sentence which names were old.

    Raises:
        BackbeatError: a value is given under both of its names.
    """
    old = [name for name in data if name in OLD_NAMES]
    for name in old:
        if OLD_NAMES[name] in data:
            raise BackbeatError(
                f"{where}: {name} is the old name of {OLD_NAMES[name]}, which is given "
                f"too; leave {name} out"
            )
    if old:
        pairs = ", ".join(f"{name} (now {OLD_NAMES[name]})" for name in old)
        logging.getLogger(__name__).warning(
            "%s: old names are read for one more version: %s", where, pairs
        )
    return {OLD_NAMES.get(name, name): value for name, value in data.items()}
