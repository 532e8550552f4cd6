"""A setlist at every save: only what is new is solved, and all of it is verified."""

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.building.setlist_build import SetlistBuild
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.setlist import memory as memory_module
from backbeat.behaviors.setlist.memory import REFUSED, SOLVED
from backbeat.models.common.errors import BackbeatError
from backbeat.optimization.verification.certificate import BOUNDS
from tests.behaviors.short_show import write_files

ROW = "kind: setlist\nname: row\nbehaviors:\n"
TURN, BEND = "  - {behavior: turn.yaml}\n", "  - {behavior: bend.yaml}\n"


def quiet(share, what):
    """Hears nothing."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("row")
    write_files(folder)
    return folder


@pytest.fixture
def planned(monkeypatch):
    """Counts of transitions that are planned."""
    pairs, plan = [], memory_module.plan_transition

    def counted(planner, a, here, b, there):
        pairs.append((a.name, b.name))
        return plan(planner, a, here, b, there)

    monkeypatch.setattr(memory_module, "plan_transition", counted)
    return pairs


def test_only_new_transitions_are_solved_and_the_show_is_that_of_a_build(
    folder, planned
):
    path, library = folder / "row.yaml", Library(folder / "library")
    kept = SetlistBuild(path, library)
    path.write_text(ROW + TURN + BEND)
    first = kept.perform(kept.read(), quiet).behavior
    assert planned == [("turn", "bend")]
    assert [s.phase for s in kept.memory.transitions] == [SOLVED]
    # Another one before: the known transition is moved to where it is now.
    path.write_text(ROW + BEND + TURN + BEND)
    show = kept.perform(kept.read(), quiet).behavior
    assert planned == [("turn", "bend"), ("bend", "turn")]
    assert len(kept.memory.starts) == 3
    whole = build(path, library, force=True)
    assert show.duration == pytest.approx(whole.duration, abs=1e-12)
    np.testing.assert_allclose(show.motion.q, whole.motion.q, atol=1e-6)
    # What was verified motion by motion is what verification of the whole finds.
    pieces = {check.name: check for check in show.certificate.checks}
    assert {check.name for check in whole.certificate.checks} == set(pieces)
    for check in whole.certificate.checks:
        near = max(1e-9, 1e-3 * BOUNDS.get(check.name, 1.0))
        assert pieces[check.name].value == pytest.approx(check.value, abs=near)
    assert show.duration > first.duration


def test_all_refused_transitions_are_said_with_their_causes(folder, monkeypatch):
    def refuse(planner, a, here, b, there):
        raise BackbeatError(f"nothing leads from {a.name} to {b.name}")

    monkeypatch.setattr(memory_module, "plan_transition", refuse)
    path = folder / "bad.yaml"
    path.write_text(ROW.replace("row", "bad") + TURN + BEND + TURN)
    kept = SetlistBuild(path, Library(folder / "library"))
    with pytest.raises(
        BackbeatError, match="entry 2: nothing leads from turn"
    ) as error:
        kept.perform(kept.read(), quiet)
    assert error.value.line == 5
    assert [s.phase for s in kept.memory.transitions] == [REFUSED, REFUSED]
    assert "from bend to turn" in kept.memory.transitions[1].sentence


def test_a_behavior_that_cannot_be_built_is_said_of_its_entry(folder):
    (folder / "deep.yaml").write_text(
        "kind: posture\nname: deep\nstations:\n"
        "  - {posture: crouch, pelvis: 0.05, move: 0.7, hold: 0.1}\n"
    )
    path = folder / "low.yaml"
    path.write_text(ROW.replace("row", "low") + BEND + "  - {behavior: deep.yaml}\n")
    kept = SetlistBuild(path, Library(folder / "library"))
    with pytest.raises(BackbeatError, match="low, entry 2: ") as error:
        kept.perform(kept.read(), quiet)
    assert error.value.line == 5
    assert kept.memory.behaviors["deep.yaml"].phase == REFUSED
    path.write_text("kind: posture\nname: low\n")
    with pytest.raises(BackbeatError, match="is a posture now"):
        kept.read()
