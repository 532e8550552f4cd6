"""IncrementalBuild: a dance that is being written; only what changed is done again."""

import itertools

import numpy as np
import pytest

from backbeat.behaviors.building.incremental_build import INCREMENTAL, IncrementalBuild
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.solving import local_solver
from backbeat.behaviors.solving.windowed import LONG
from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER
from backbeat.models.common.errors import BackbeatError
from backbeat.optimization.verification.verify import verify_motion

DANCE = """\
kind: dance
name: mine
bpm: 100
beats: {beats}
tracks:
  legs:
    - {{move: bounce, at: 2, beats: 6, values: {{depth: 0.04}}}}
    - {{move: out-and-in, at: {out}, values: {{width: {width}}}}}
    - {{move: sway, at: 22, beats: 6, values: {{width: {sway}}}}}
  arms:
    - {{move: raise, at: 14, beats: 6, values: {{lift: 0.8}}}}
"""
# Out with the left foot, and back: as far as somebody wants.
MOVE = """\
name: out-and-in
track: legs
summary: puts the left foot out and back
length: 4
parameters:
  width: {min: 0, default: 0.05, max: 2, unit: m}
steps:
  - {at: 0.0, until: 0.25, feet: right, to: [0, width]}
  - {at: 0.5, until: 0.75, feet: right, to: [0, -width]}
"""


def quiet(share, what):
    """Hears nothing."""


class Writer:
    """Somebody who writes a dance, and the incremental build of it."""

    def __init__(self, folder):
        (folder / "moves").mkdir()
        (folder / "moves" / "out-and-in.yaml").write_text(MOVE)
        self.path = folder / "mine.yaml"
        self.values = {"beats": 32, "width": 0.06, "sway": 0.04, "out": 14}
        self.library = Library(folder / "library")
        self.write()
        self.incremental = IncrementalBuild(self.path, self.library)

    def write(self, **values):
        self.path.write_text(DANCE.format(**self.values | values))

    def perform(self, **values):
        """What comes of a save, which is stored."""
        self.write(**values)
        found = self.incremental.perform(self.incremental.read(), quiet)
        self.incremental.store(found.behavior)
        return found


@pytest.fixture(scope="module")
def writer(tmp_path_factory):
    writer = Writer(tmp_path_factory.mktemp("writing"))
    writer.perform()
    writer.incremental.prepare(quiet)
    return writer


@pytest.fixture
def before(writer):
    """The first version, whatever the tests before have written."""
    return writer.perform().behavior


def test_a_changed_parameter_is_solved_where_it_counts_and_nowhere_else(writer, before):
    found = writer.perform(sway=0.055)
    after = found.behavior
    # Six of 32 beats, and something on either side.
    assert (found.start, found.end) == pytest.approx((13.2, 16.8), abs=0.15)
    assert 0 < found.knots < 0.4 * after.provenance["knots"]
    assert 0 < found.pieces < 0.4 * len(after.motion.t) / 200 + 2
    assert after.provenance["key"] == INCREMENTAL
    early = after.motion.t < found.start - 2.0
    for name in ("q", "v", "wrench", "tau"):
        a, b = getattr(before.motion, name), getattr(after.motion, name)
        np.testing.assert_array_equal(a[early], b[early])
    widest = [np.ptp(b.com[~early, 1]) for b in (before, after)]
    assert widest[1] > widest[0] + 5e-3


def test_the_joined_motion_passes_anew_as_a_whole(writer, before):
    """By a verifier that has seen nothing, over every seam."""
    for change in ({"width": 0.09}, {"sway": 0.03, "width": 0.04}):
        after = writer.perform(**change).behavior
        draft = writer.incremental.read()
        problem = draft.plan.problem
        friction = problem.limits.friction
        whole = verify_motion(problem.robot, after.motion, problem.collisions, friction)
        assert whole.passed
        kept = {c.name: c.value for c in after.certificate.checks}
        for check in whole.checks:
            if check.name != "knot_violation":
                assert kept[check.name] == pytest.approx(check.value, rel=1e-6)
        assert 0 < kept["knot_violation"] < 1e-6


def test_steps_that_changed_land_where_they_should(writer, before):
    after = writer.perform(width=0.1).behavior
    foot = after.motion.contacts.index("l_foot")
    for behavior, width in ((before, 0.06), (after, 0.1)):
        places = behavior.motion.p_WC[:, foot][behavior.motion.standing[:, foot]]
        assert np.ptp(places[:, 1]) == pytest.approx(width, abs=1e-9)


def test_steps_that_come_at_another_time_are_solved_locally(writer, before):
    """Contacts stand at other times then; elsewhere the motion stays as it was."""
    found = writer.perform(out=15)
    after = found.behavior
    assert 0 < found.knots < 0.5 * after.provenance["knots"]
    problem = writer.incremental.read().plan.problem
    lifted = [a for a, _ in itertools.pairwise(problem.schedule.switch_times)][1]
    feet = list(after.motion.contacts)
    assert feet == list(before.motion.contacts)
    for behavior, first in ((before, lifted - 0.6), (after, lifted)):
        motion = behavior.motion
        is_up = ~motion.standing.all(1)
        assert motion.t[is_up][0] == pytest.approx(first, abs=1e-6)
    friction = problem.limits.friction
    args = problem.robot, after.motion, problem.collisions, friction
    assert verify_motion(*args).passed
    early = after.motion.t < found.start - 2.0
    np.testing.assert_array_equal(before.motion.q[early], after.motion.q[early])


def test_nothing_is_solved_when_nothing_changed(writer, before):
    found = writer.perform()
    assert (found.knots, found.pieces) == (0, 0)
    np.testing.assert_array_equal(found.behavior.motion.q, before.motion.q)


def test_what_is_stored_is_what_was_found(writer):
    found = writer.perform(sway=0.045)
    stored = writer.library.load("mine")
    np.testing.assert_array_equal(stored.motion.q, found.behavior.motion.q)
    assert stored.certificate == found.behavior.certificate
    assert "width: 0.045" in stored.specification


def test_an_infeasible_change_is_refused_though_its_neighbors_are_known(
    writer, before, monkeypatch
):
    """A step of 0.9 m: with file and line, and nothing is touched."""
    monkeypatch.setattr(local_solver, "PATIENCE", 0.0)
    monkeypatch.setattr(local_solver, "ATTEMPTS", local_solver.ATTEMPTS[:1])
    stored = writer.library.path("mine").read_bytes()
    with pytest.raises(BackbeatError, match=r"mine\.yaml:8: the motion fails verif"):
        writer.perform(width=0.9)
    assert writer.library.path("mine").read_bytes() == stored
    # The last good motion is still the one that the next change starts from.
    assert writer.perform().knots == 0
    assert writer.perform(sway=0.05).behavior.certificate.passed


def test_a_patch_that_fails_verification_is_refused(writer, before, monkeypatch):
    """Were the solver wrong, the known certificates beside would not cover it."""
    real = local_solver._joined

    def spoiled(old, patch, *rest):
        knots = real(old, patch, *rest)
        knots.q[(patch.start + patch.end) // 2, 7:] += 0.02
        return knots

    monkeypatch.setattr(local_solver, "_joined", spoiled)
    monkeypatch.setattr(local_solver, "ATTEMPTS", local_solver.ATTEMPTS[:1])
    with pytest.raises(BackbeatError, match=r"mine\.yaml:9: the motion fails verif"):
        writer.perform(sway=0.05)
    monkeypatch.undo()
    assert writer.perform().knots == 0


def test_work_that_is_not_wanted_any_more_ends(writer, before):
    """At any of the places where it asks; what was good remains."""

    class EnoughError(Exception):
        pass

    for last in (1, 3, 8):
        calls = itertools.count(1)

        def progress(share, what, calls=calls, last=last):
            if next(calls) == last:
                raise EnoughError

        writer.write(sway=0.06)
        with pytest.raises(EnoughError):
            writer.incremental.perform(writer.incremental.read(), progress)
    assert writer.perform().knots == 0


def test_a_mistake_has_its_line(writer, before):
    writer.path.write_text(writer.path.read_text().replace("sway", "swai"))
    with pytest.raises(BackbeatError, match=r"mine\.yaml:9: .*did you mean sway"):
        writer.incremental.read()
    writer.path.write_text("kind: [")
    with pytest.raises(BackbeatError, match=r"mine\.yaml line 1"):
        writer.incremental.read()


def test_the_files_of_a_dance_are_its_own_and_those_of_its_moves(writer, before):
    files = writer.incremental.files()
    assert {f.name for f in files} == {"mine.yaml", "moves", "out-and-in.yaml"}


@pytest.mark.slow
def test_another_length_is_built_as_a_whole_and_patched_from_then_on(tmp_path):
    """Over the length from which motions are solved in windows, and back."""
    writer = Writer(tmp_path)
    for beats in (80, 32):
        found = writer.perform(beats=beats)
        assert found.knots is None
        assert (found.behavior.duration >= LONG) == (beats == 80)
        patched = writer.perform(beats=beats, sway=0.05)
        assert 0 < patched.knots < 0.4 * found.behavior.provenance["knots"]


@pytest.mark.slow
def test_other_kinds_are_built_at_every_save(tmp_path):
    path = tmp_path / "steps.yaml"
    text = (SHIPPED_FOLDER / "toe-tap.yaml").read_text()
    path.write_text(text)
    incremental = IncrementalBuild(path, Library(tmp_path / "library"))
    for changed in (text, text.replace("summary:", "summary: Maybe")):
        path.write_text(changed)
        found = incremental.perform(incremental.read(), quiet)
        incremental.prepare(quiet)
        assert found.behavior.certificate.passed
