"""Long motions: windows join to one motion, and only what changed is solved again."""

import pickle
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.motion.concatenation import make_continuous
from backbeat.behaviors.solving.window_steps import Source
from backbeat.behaviors.solving.window_store import WindowStore, fingerprint
from backbeat.behaviors.solving.windowed import WindowedSolver
from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER, read_specification
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import find_description
from backbeat.optimization.diagnosis.costs import knot_costs
from backbeat.optimization.interior_point.iterate import Guess, default_guess
from backbeat.optimization.interior_point.solution import Violation
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.transcription.constraints import RowName
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.verification.verify import verify_motion
from backbeat.optimization.windows.pieces import (
    LED,
    Knots,
    from_neighbors,
    make_windows,
    ordered,
    window_problem,
)
from backbeat.optimization.windows.subproblem import subproblem
from benchmarks.grooves import make_groove
from benchmarks.played_songs import save_song
from tests.copied_sources import copy_sources
from tests.tolerances import EXACT

# How often a verse of six bars comes back, every day and where there is time.
SHORT, LONG = 1, 3


def write_song(folder: Path, accent: str = "3!", repeats: int = SHORT) -> Path:
    """A song of some bars after a hold; one accent early in it may change."""
    bars = "- 3 - 3 - 3 - 3"
    verse = {
        "left": " | ".join([bars] * 6),
        "right": " | ".join(["6 - 5 - 6 - 5 -"] * 6),
    }
    first = {**verse, "left": verse["left"].replace("3", accent, 1), "name": "first"}
    rest = {"left": "snare", "right": "floor_tom"}
    parts = [
        {"name": "ready", "hold": 4, "rest": rest, "sway": 0.1},
        first,
        *[{**verse, "name": f"verse {i}"} for i in range(repeats)],
    ]
    score = {"title": "song", "bpm": 100, "steps_per_beat": 2, "parts": parts}
    return save_song("song", score, folder)


def plan_of(path):
    specification, _ = read_specification(path)
    return specification, specification.plan(path.parent)


def find(folder, repeats):
    """A song solved in windows: its problem, the motion, and its solver."""
    specification, plan = plan_of(write_song(folder, repeats=repeats))
    windowed_solver = WindowedSolver(folder / "windows")
    source = Source(specification, folder, "test")
    _, motion = windowed_solver.solve(source, plan, lambda share, what: None)
    return plan.problem, motion, windowed_solver, folder


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """One of three windows: a first, a last, and one between them."""
    return find(tmp_path_factory.mktemp("song"), SHORT)


@pytest.fixture(scope="module")
def found_long(tmp_path_factory):
    return find(tmp_path_factory.mktemp("long-song"), LONG)


def test_windows_answer_for_every_knot_once(found):
    problem = found[0]
    windows = make_windows(problem)
    assert len(windows) >= 3
    owned = [k for w in windows for k in range(w.first, w.last + 1)]
    assert owned == list(range(problem.num_knots))
    hits = np.array([i.knot for i in problem.impacts])
    for window in windows[:-1]:
        assert np.abs(hits - window.last).min() >= 1


def test_the_joined_motion_passes_as_one(found):
    """Verified anew over the seams, and not window by window."""
    problem, motion, _, _ = found
    assert motion.certificate.passed
    limits = problem.limits
    whole = verify_motion(
        problem.robot, motion.motion, problem.collisions, limits.friction
    )
    assert whole.passed
    assert motion.motion.t[-1] == pytest.approx(problem.times[-1])
    assert (np.diff(motion.motion.t) >= 0).all()


def test_costs_of_windows_are_those_of_the_whole(found):
    """By term and knot, of the motion that the windows have found."""
    problem, motion, _, _ = found
    transcription = Transcription(problem)
    w = ordered(motion.knots.w, problem.contact_names, transcription.contacts)
    whole = InteriorPoint(transcription).evaluate(Guess(motion.knots.q, w))
    np.testing.assert_allclose(motion.costs.t, problem.times, atol=1e-4)
    assert sum(motion.costs.totals().values()) == pytest.approx(whole.cost, rel=1e-5)
    costs = knot_costs(whole)
    assert costs.terms.keys() == motion.costs.terms.keys()
    for name, values in costs.terms.items():
        most = max(values.max(), 1e-9)
        apart = np.abs(values - motion.costs.terms[name]).max()
        assert apart < 1e-5 * most, name


def test_windows_find_what_the_whole_finds(found):
    """Both are optima of the same problem but for the seams."""
    problem, motion, _, _ = found
    solution = InteriorPoint(Transcription(problem)).solve()
    assert solution.is_solved
    t = motion.motion.t
    at = np.searchsorted(t, problem.times - 1e-9)
    joints = problem.robot.base_positions
    apart = motion.motion.q[at, joints:] - solution.q[:, joints:]
    # Where the redundant arms are depends on the search: a few degrees.
    assert np.sqrt((apart**2).mean()) < 0.05


def test_the_search_between_two_windows_begins_as_they_end(found):
    """A guess of its own would jump from what they give, and take long to come back."""
    problem, motion, _, _ = found
    windows = make_windows(problem)
    parts = {
        i: Knots(*(x[window.start : window.end + 1] for x in motion.knots))
        for i, window in enumerate(windows)
    }
    part = window_problem(problem, windows[1], from_neighbors(windows, parts, 1))
    inner = (part.times >= LED) & (part.times <= part.times[-1] - LED)
    a, b = windows[1].start, windows[1].end
    own = problem.guess[a : b + 1]
    np.testing.assert_allclose(part.guess[inner], own[inner], atol=EXACT)
    ends = motion.knots.q[[a, b]]
    np.testing.assert_allclose(part.guess[[0, -1]], ends, atol=EXACT)

    def violation(guess):
        transcription = Transcription(replace(part, guess=guess))
        interior_point = InteriorPoint(transcription)
        return interior_point.evaluate(default_guess(transcription)).violation()

    assert violation(part.guess) < 0.5 * violation(own)


def test_a_part_has_the_intervals_of_the_whole(found):
    """Also where knots are not evenly apart, or speeds at its ends would be others."""
    problem = found[0]
    wave = 0.3 * np.sin(np.arange(problem.num_knots - 1))
    times = np.r_[0.0, np.cumsum(np.diff(problem.times) * (1 + wave))]
    uneven = replace(problem, times=times)
    whole = Transcription(uneven).program
    part = subproblem(subproblem(uneven, 20, 90), 5, 60)
    np.testing.assert_allclose(Transcription(part).program.span, whole.span[25:80])
    alone = Transcription(replace(part, beside=(0.0, 0.0))).program
    assert np.abs(alone.span[[0, -1]] / whole.span[[25, 79]] - 1).min() > 0.01


def test_what_is_played_otherwise_is_the_same_in_another_process(tmp_path):
    specification, plan = plan_of(write_song(tmp_path))
    time, folder = plan.events[3].time, tmp_path
    other = plan.fallback_plan(
        [Violation(time, RowName.of("joint_torque", "r_arm_shx"), 1.0, True)]
    )
    source = Source(specification, folder, "test", other.hints)
    again = pickle.loads(pickle.dumps(source)).plan().problem
    assert not np.array_equal(other.problem.times, plan.problem.times)
    np.testing.assert_array_equal(again.times, other.problem.times)
    assert [i.knot for i in again.impacts] == [i.knot for i in other.problem.impacts]


@pytest.mark.slow
def test_a_long_song_is_played_otherwise_where_it_has_to_be(tmp_path, monkeypatch):
    """As a short one is: knots get closer, and neighbors still fit together."""
    monkeypatch.setattr("backbeat.behaviors.building.build.LONG", 10.0)
    groove = make_groove(19)
    path = save_song("groove", asdict(groove.score), tmp_path)
    behavior = build(path, Library(tmp_path / "library"), processes=2)
    assert behavior.certificate.passed
    _, plan = plan_of(path)
    assert len(make_windows(plan.problem)) > 1
    assert len(behavior.strikes()) == len(plan.problem.impacts)
    assert behavior.provenance["knots"] > plan.problem.num_knots


@pytest.mark.slow
def test_only_the_windows_of_a_changed_bar_are_solved_again(found_long):
    problem, before, windowed_solver, folder = found_long
    assert len(make_windows(problem)) >= 6
    windows = make_windows(problem)
    for accent, most in (("3!", 0), ("3?", 2 * 3)):
        specification, plan = plan_of(write_song(folder, accent, LONG))
        source = Source(specification, folder, "test")
        _, after = windowed_solver.solve(source, plan, lambda share, what: None)
        assert windowed_solver.steps <= most
        last = problem.times[windows[-1].first] + 1e-6
        i, j = (np.searchsorted(m.motion.t, last) for m in (before, after))
        np.testing.assert_array_equal(before.motion.q[i:], after.motion.q[j:])
    assert 0 < windowed_solver.steps < 2 * len(windows)


def test_a_short_motion_is_one_window(built):
    path = SHIPPED_FOLDER / "march.yaml"
    specification, _ = read_specification(path)
    assert len(make_windows(specification.plan(path.parent).problem)) == 1


def test_damaged_and_missing_files_are_made_again(tmp_path):
    store = WindowStore(tmp_path / "windows")
    assert store.load("a") is None
    store.save("a", {"q": np.arange(3.0)})
    np.testing.assert_array_equal(store.load("a")["q"], np.arange(3.0))
    path = next((tmp_path / "windows").glob("*.npz"))
    whole = path.read_bytes()
    for damaged in (whole[:-40], b"", whole + b"x"):
        path.write_bytes(damaged)
        assert store.load("a") is None
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 128]) + whole[at + 1 :])
        assert store.load("a") is None


def test_fingerprints_tell_values_and_shapes_apart():
    a = np.arange(6.0)
    prints = [
        fingerprint(a),
        fingerprint(a.reshape(2, 3)),
        fingerprint(a + 1e-16 * (a == 5) + 1e-12),
        fingerprint(list(a)),
        fingerprint({"a": 1.0}),
        fingerprint({"a": 1}),
        fingerprint("a", "b"),
        fingerprint("ab"),
    ]
    assert len(set(prints)) == len(prints)
    assert fingerprint(a) == fingerprint(a.copy())
    with pytest.raises(TypeError):
        fingerprint(object())


def test_a_changed_robot_file_has_windows_of_its_own(tmp_path, monkeypatch):
    """What was found for another robot under the same path is not taken."""
    models = find_description("atlas").parents[2]
    folder = tmp_path / "models" / "robots" / "atlas"
    for name in ("robots/atlas", "kit"):
        copy_sources(models / name, folder.parents[1] / name)
    path = write_song(tmp_path, repeats=LONG)
    path.write_text(path.read_text() + f"robot: {folder / 'atlas.yaml'}\n")
    keys = []

    def note(self, source, plan, progress, explains):
        keys.append(source.key)
        raise BackbeatError("noted")

    monkeypatch.setattr(WindowedSolver, "solve", note)
    for _ in range(2):
        with pytest.raises(BackbeatError, match="noted"):
            build(path, Library(tmp_path / "library"))
        with (folder / "atlas_v5.urdf").open("a") as file:
            file.write("<!-- heavier -->\n")
    assert keys[0] != keys[1]


def test_of_two_quaternions_the_continuous_one_is_taken():
    angles = np.linspace(0.0, 4 * np.pi, 50)
    q = np.zeros((50, 8))
    q[:, 0], q[:, 3] = np.cos(angles / 2), np.sin(angles / 2)
    smooth = q.copy()
    q[20:33, :4] *= -1
    q[45:, :4] *= -1
    make_continuous(q, joints=1)
    np.testing.assert_array_equal(q, smooth)
    held = -smooth
    make_continuous(held, joints=8)
    np.testing.assert_array_equal(held, -smooth)


@pytest.mark.slow
def test_one_process_or_two_build_the_same(tmp_path):
    path = write_song(tmp_path, repeats=LONG)
    one = build(path, Library(tmp_path / "one"), processes=1)
    two = build(path, Library(tmp_path / "two"), processes=2)
    np.testing.assert_array_equal(one.motion.q, two.motion.q)
