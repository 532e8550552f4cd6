"""Takes that are edited: what differs, what stays, and what is solved anew."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from backbeat.behaviors.building.incremental_build import INCREMENTAL, IncrementalBuild
from backbeat.behaviors.dance.recordings import reading
from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.recording.steps import RecordedStep, kept_steps
from backbeat.behaviors.specification.kinds import read_any
from backbeat.behaviors.takes.edits import SLIGHT, TOGETHER, alike, edited, kept
from backbeat.behaviors.takes.take import Take
from backbeat.optimization.verification.verify import verify_motion
from benchmarks.spoiled_takes import repaired, truth_of

RNG = np.random.default_rng(55)
TAKE = Take(
    np.arange(200) / 50,
    ("a", "b"),
    RNG.normal(size=(200, 2)),
    RNG.normal(size=(200, 7)),
)


def quiet(share, what):
    """Hears nothing."""


def changed(take, rows, size=0.1):
    q = take.q.copy()
    q[rows] += size
    return replace(take, q=q)


def test_an_edit_is_from_the_sample_before_it_to_the_one_after():
    assert edited(TAKE, changed(TAKE, slice(50, 60))) == (49 / 50, 60 / 50)
    assert edited(TAKE, changed(TAKE, slice(0, 10))) == (0.0, 10 / 50)
    assert edited(TAKE, changed(TAKE, slice(190, 200))) == (189 / 50, 199 / 50)
    first, last = edited(TAKE, TAKE)
    assert first == last
    # Samples that are gone, with the times of the others as they were.
    left = np.r_[0:100, 110:200]
    fewer = replace(TAKE, t=TAKE.t[left], q=TAKE.q[left], base=TAKE.base[left])
    assert edited(TAKE, fewer) == (99 / 50, 110 / 50)
    assert edited(fewer, TAKE) == (99 / 50, 110 / 50)
    # Nothing is the same.
    assert edited(TAKE, replace(TAKE, t=TAKE.t + 1.0)) == (1.0, 199 / 50 + 1)
    assert edited(TAKE, replace(TAKE, base=None)) == (0.0, 199 / 50)
    assert edited(TAKE, replace(TAKE, joints=("a", "c"))) == (0.0, 199 / 50)


def test_slight_differences_far_from_an_edit_are_left_out():
    old = np.zeros(6)
    new = np.array([0.5, 0.5, 3.0, 0.5, 0.5, 2.0]) * SLIGHT
    far = np.array([True, True, False, False, True, True])
    made = kept(old, new, far, old)
    np.testing.assert_array_equal(made[[0, 1, 4]], 0.0)
    np.testing.assert_array_equal(made[[2, 3, 5]], new[[2, 3, 5]])


def test_slight_differences_of_several_edits_are_left_out_up_to_a_sum():
    new, far = np.array([0.6, 1.2, 1.8, 2.4, 3.0]) * SLIGHT, np.ones(1, bool)
    made, found, all_made = np.zeros(1), np.zeros(1), []
    for x in new[:, None]:
        made, found = kept(made, x, far, found), x
        all_made.append(float(made[0]))
    assert new[2] < TOGETHER < new[3]
    assert all_made == [0.0, 0.0, 0.0, new[3], new[3]]


def step(foot, to, turn=0.0, start=0.0):
    return RecordedStep(start, start + 0.5, foot, to, turn, 0.05, np.zeros((1, 3)))


def landings(steps):
    """Where steps land, by the place of each foot and where both face."""
    at = {foot: np.zeros(3) for foot in FEET}
    found = []
    for one in steps:
        heading = 0.5 * (at["left"][2] + at["right"][2])
        c, s = np.cos(heading), np.sin(heading)
        x, y = one.to
        at[one.foot] = at[one.foot] + [c * x - s * y, s * x + c * y, one.turn]
        found.append(at[one.foot])
    return np.array(found)


def test_steps_behind_one_that_was_edited_land_where_they_did():
    old = [step(FEET[k % 2], (0.2, 0.0), 0.0, float(k)) for k in range(8)]
    other = [
        replace(s, to=(s.to[0] + 4e-4 * (-1) ** k, 2e-4)) for k, s in enumerate(old)
    ]
    other[3] = replace(other[3], to=(0.26, 0.03))
    other[5] = replace(other[5], to=(0.14, -0.03))
    made = kept_steps(old, other)
    moved = np.linalg.norm(landings(made) - landings(old), axis=1)
    assert moved[3] > 0.05
    np.testing.assert_allclose(np.delete(moved, 3), 0.0, atol=1e-12)
    assert made[:3] == tuple(old[:3])


def test_what_a_step_is_off_by_is_made_up_for_by_the_next_one():
    old = [step(FEET[k % 2], (0.2, 0.0), 0.1, float(k)) for k in range(8)]
    for size, back in ((0.01, True), (0.1, False)):
        other = list(old)
        other[3] = replace(old[3], to=(0.2 + size, 0.0))
        moved = np.linalg.norm(landings(kept_steps(old, other)) - landings(old), axis=1)
        assert moved[3] == pytest.approx(size)
        # Both feet turn, and so do the axes in which steps are given.
        assert moved[5] == pytest.approx(0.0 if back else size, abs=1e-12)
        np.testing.assert_allclose(moved[[2, 4, 6]], 0.0, atol=1e-12)


def test_steps_land_where_they_did_after_one_edit_and_another():
    old = [step(FEET[k % 2], (0.2, 0.0), 0.0, float(k)) for k in range(8)]
    once = [*old[:3], replace(old[3], to=(0.21, 0.0)), *old[4:]]
    twice = [*once[:6], replace(once[6], to=(0.24, 0.0)), once[7]]
    first = kept_steps(old, once)
    second = kept_steps(first, twice, once)
    assert second[:6] == first[:6]
    assert np.argmax(landings(second) - landings(first), axis=0)[0] == 6
    np.testing.assert_allclose(
        np.delete(landings(second) - landings(first), 6, axis=0), 0.0, atol=1e-12
    )


def test_all_that_is_alike_is_the_same_as_before():
    old = [step(FEET[k % 2], (0.2, 0.0), 0.1, float(k)) for k in range(4)]
    new = [replace(s, to=(0.2, 1e-3), via=s.via + 1e-3) for s in old]
    assert all(a is b for a, b in zip(kept_steps(old, new), old, strict=True))
    assert alike(old[0], replace(old[0], turn=0.1 + 0.5 * SLIGHT))
    assert not alike(old[0], replace(old[0], via=np.zeros((2, 3))))
    assert not alike(old[0], replace(old[0], foot="right"))
    assert not alike(old, old[:3])


@pytest.fixture(scope="module")
def folder(built, tmp_path_factory):
    """A dance of a spoiled take of a turn in steps, built."""
    folder = tmp_path_factory.mktemp("edited")
    row, _ = repaired(truth_of(built("quarter-turn")), folder, 3, "csv", "atlas")
    assert not row.refused
    return folder


def test_a_build_reads_a_take_once(folder, monkeypatch):
    dance, _ = read_any(folder / "mine.yaml")
    reading.read_recording.cache_clear()
    calls = []
    read = reading.read_take
    monkeypatch.setattr(reading, "read_take", lambda *a: calls.append(a) or read(*a))
    dance.recorded(folder, ["take-1"])
    plan = dance.plan(folder)
    assert len(calls) == 1
    # Other beats are another move of the same reading, other joints another reading.
    slower = replace(dance.recordings["take-1"], beats=40.0)
    move = replace(dance, recordings={"take-1": slower}).recorded(folder, ["take-1"])
    assert move["take-1"].length({}) != plan.recorded["take-1"].length({})
    assert len(calls) == 1


def test_frames_of_a_take_are_solved_where_they_were_edited(folder):
    incremental = IncrementalBuild(folder / "mine.yaml", Library(folder / "lib"))
    before = incremental.perform(incremental.read(), quiet).behavior
    incremental.prepare(quiet)
    frame = pd.read_csv(folder / "take.csv")
    inside = (frame["t"] > 2.0) & (frame["t"] < 2.5)
    bump = 0.2 * np.sin(np.pi * (frame.loc[inside, "t"] - 2.0) / 0.5) ** 2
    frame.loc[inside, "l_arm_elx"] += bump
    frame.to_csv(folder / "take.csv", index=False, float_format="%.9g")
    found = incremental.perform(incremental.read(), quiet)
    after = found.behavior
    assert after.provenance["key"] == INCREMENTAL
    assert 0 < found.knots < 0.5 * after.provenance["knots"]
    assert found.end - found.start < 2.0
    elbow = after.robot_model.base_positions
    elbow += after.robot_model.joint_index("l_arm_elx")
    away = np.abs(after.motion.q[:, elbow] - before.motion.q[:, elbow])
    assert away.max() == pytest.approx(0.2, abs=0.03)
    late = after.motion.t > found.end + 2.0
    np.testing.assert_array_equal(after.motion.q[late], before.motion.q[late])
    dance, _ = read_any(folder / "mine.yaml")
    problem = dance.plan(folder).problem
    friction = problem.limits.friction
    assert verify_motion(
        problem.robot, after.motion, problem.collisions, friction
    ).passed
