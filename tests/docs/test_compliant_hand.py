"""The soft hand of the docs: its force is small, and known from its angles."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.tolerances import COMPLIANCE

EXAMPLE = Path(__file__).parents[2] / "docs/how_to/compliant_hand.py"
PAGE = EXAMPLE.parents[1] / "explanation" / "motors.md"
# What another processor's rounding may do to a hand that comes to a stop [N].
ROUNDED = 1.0
# Deflection of the arm's springs, a wrist among them, in newtons at the hand.
ONE_NEWTON = 1.0


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    """What it defines."""
    return runpy.run_path(str(EXAMPLE))


def told_forces(pattern: str) -> list[float]:
    """Forces that the page about actuators tells [N]."""
    found = re.search(pattern, " ".join(PAGE.read_text().split()))
    assert found is not None
    return [float(number) for number in found.groups()]


def test_a_soft_hand_rests_on_a_drum(example: dict[str, Any]) -> None:
    push = example["push"]("drum", 0.05)
    (told,) = told_forces(r"rest on a drum \((\d+) N\)")
    assert push.force[-1] == pytest.approx(told, abs=ROUNDED)
    assert 5.0 < push.force[-1] == pytest.approx(push.springs, COMPLIANCE, ONE_NEWTON)
    # It comes down, and strikes nothing.
    assert push.force.max() < 2 * push.force[-1]


def test_a_soft_hand_turns_a_valve_and_minds_its_stop(example: dict[str, Any]) -> None:
    soft, stiff = (example["push"]("valve", 0.25, soft=s) for s in (True, False))
    for push in (soft, stiff):
        assert push.angle[-1] == pytest.approx(example["VALVE_STOP"], abs=0.01)
    assert soft.force[-1] == pytest.approx(soft.springs, COMPLIANCE, ONE_NEWTON)
    assert stiff.force.max() > 3 * soft.force.max()
    told = told_forces(
        r"stops: (\d+) N in the end and (\d+) N at most, .* comes to (\d+) N"
    )
    found = [soft.force[-1], soft.force.max(), stiff.force.max()]
    assert found == pytest.approx(told, abs=ROUNDED)
