"""`docs/compliant_hand.py`: a soft hand's force is small, and known from its angles."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.tolerances import COMPLIANCE

EXAMPLE = Path(__file__).parents[2] / "docs" / "compliant_hand.py"
# Deflection of the arm's springs, a wrist among them, in newtons at the hand.
ONE_NEWTON = 1.0


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    """What it defines."""
    return runpy.run_path(str(EXAMPLE))


def test_a_soft_hand_rests_on_a_drum(example: dict[str, Any]) -> None:
    push = example["push"]("drum", 0.05)
    assert 5.0 < push.force[-1] == pytest.approx(push.springs, COMPLIANCE, ONE_NEWTON)
    # It comes down, and strikes nothing.
    assert push.force.max() < 2 * push.force[-1]


def test_a_soft_hand_turns_a_valve_and_minds_its_stop(example: dict[str, Any]) -> None:
    soft, stiff = (example["push"]("valve", 0.25, soft=s) for s in (True, False))
    for push in (soft, stiff):
        assert push.angle[-1] == pytest.approx(example["VALVE_STOP"], abs=0.01)
    assert soft.force[-1] == pytest.approx(soft.springs, COMPLIANCE, ONE_NEWTON)
    assert stiff.force.max() > 3 * soft.force.max()
