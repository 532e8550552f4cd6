"""A made-up behavior, for tests that need one and not what is in it."""

import pytest

from behaviors.behavior import Behavior
from tests.backbeat.performances import drumming


@pytest.fixture(scope="session")
def drums() -> Behavior:
    """Half a second of arms that swing, seated, with strikes and a hold."""
    return drumming(seated=True, duration=0.5)
