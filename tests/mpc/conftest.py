"""References that tests of the controllers share."""

import pytest

from backbeat.mpc.reference.trajectory import Reference


@pytest.fixture(scope="session")
def groove(built) -> Reference:
    """A dance, in which everything moves."""
    return Reference(built("groove"))


@pytest.fixture(scope="session")
def drummer(built) -> Reference:
    """Drumming on a chair."""
    return Reference(built("outstanding"))


@pytest.fixture(scope="session")
def march(built) -> Reference:
    """Steps in place."""
    return Reference(built("march"))


@pytest.fixture(scope="session")
def reference(built) -> Reference:
    """Standing."""
    return Reference(built("stand"))
