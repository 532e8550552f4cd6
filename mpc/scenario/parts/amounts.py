"""Amounts that several parts of a scenario have: finite, and not negative."""

from collections.abc import Mapping

import numpy as np

from backbeat.models.common.errors import BackbeatError


def check_amounts(amounts: Mapping[str, float]) -> None:
    """Refuses amounts that are negative or not finite.

    Args:
        amounts: by key of the scenario.

    Raises:
        BackbeatError: one is.
    """
    for name, value in amounts.items():
        if not (np.isfinite(value) and value >= 0):
            raise BackbeatError(f"scenario: {name} is {value}; it must be >= 0")
