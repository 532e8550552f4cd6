"""A made-up behavior, and a library of its own for each test."""

import pytest

from backbeat.behaviors.library.behavior import Behavior, Mount, make_robot
from backbeat.behaviors.library.store import Library
from tests.backbeat.performances import drumming


@pytest.fixture(scope="session")
def drums() -> Behavior:
    """Half a second of arms that swing, seated, with strikes and a hold."""
    return drumming(seated=True, duration=0.5)


@pytest.fixture
def library(tmp_path):
    """A library in a folder that does not exist yet."""
    return Library(tmp_path / "library")


@pytest.fixture
def stored(library, drums):
    """Path of the stored drums."""
    return library.save(drums)


@pytest.fixture(scope="session")
def robot():
    """Atlas with nothing in its hands."""
    return make_robot("atlas", (), Mount())
