"""Earlier names of weights of the predictive program, which are read still."""

import logging
from collections.abc import Mapping
from typing import Any

from backbeat.models.common.errors import BackbeatError

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


def under_current_names(data: Mapping[str, Any], where: str) -> dict[str, Any]:
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
