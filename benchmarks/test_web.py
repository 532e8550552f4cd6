"""A show and a controller go on while strangers attack them (10 s each)."""

import os

import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from benchmarks.web import CONTROLLED, CONTROLLER, SHOW, SHOWN, attack
from benchmarks.web_attacks import ATTACKS, TO_CONTROLLERS

pytestmark = pytest.mark.slow
SECONDS = float(os.environ.get("BACKBEAT_ATTACK_SECONDS", "10"))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    for name in (SHOWN, CONTROLLED):
        build(name, Library(folder))
    return folder


@pytest.mark.parametrize("name", ATTACKS)
def test_a_show_goes_on(name, library):
    row = attack(SHOW, name, SECONDS, library)
    assert row.is_met, row
    assert row.cut == 0
    # Thirty frames a second are drawn where the machine has the time.
    assert row.served > 5 * SECONDS


@pytest.mark.parametrize("name", TO_CONTROLLERS)
def test_a_controller_goes_on(name, library):
    row = attack(CONTROLLER, name, SECONDS, library)
    assert row.is_met, row
    assert row.cut == 0
    assert row.served > 5 * SECONDS
