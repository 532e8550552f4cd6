"""Dances build: every move alone, moves in pairs, and steps across windows."""

from pathlib import Path

import numpy as np
import pytest

from backbeat.behaviors.building.build import Reports, solve
from backbeat.behaviors.building.move_preview import solve_preview
from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.dance.markers import measure_markers, planned
from backbeat.behaviors.dance.vocabulary.move_file import shipped_moves
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.posture.stance import start_configuration
from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER, read_specification
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.windows.pieces import RUN_IN, make_windows, window_problem
from tests.tolerances import MARKER_MEAN

MOVES = shipped_moves()
LONG_DANCES = ("sway-and-bounce", "steps-and-turns", "arms-and-jumps")
# Moves that begin and end on both feet with straight knees.
FREE = sorted(n for n, m in MOVES.items() if n not in ("sink", "rise"))
PAIRS = 10
QUIET = Reports(lambda share, what: None, lambda entry: None)


def solved(dance):
    return solve(dance.dance, dance.text(), Path("mine.yaml"), "", QUIET)


@pytest.fixture(scope="module")
def steps():
    specification, _ = read_specification(SHIPPED_FOLDER / "steps-and-turns.yaml")
    return specification.plan(SHIPPED_FOLDER).problem


def test_run_ins_and_seams_are_on_both_feet(steps):
    windows = make_windows(steps)
    assert len(windows) >= 4
    for window in windows:
        for knot in {window.start, window.first}:
            standing = steps.schedule.standing(steps.times[knot])
            assert set(standing) == {"l_foot", "r_foot"}


def test_a_run_in_rests_on_the_contacts_of_its_knot(steps):
    for window in make_windows(steps):
        if not window.is_free or window.start == 0:
            continue
        part = window_problem(steps, window)
        at = Configuration(steps.robot, part.q_start)
        for name, X in steps.schedule.standing(steps.times[window.start]).items():
            place = at.pose(name).translation()
            np.testing.assert_allclose(place, X.translation(), atol=1e-3)
        assert all(t.knots[0] * 0.05 >= RUN_IN - 0.1 for t in part.tasks)


def test_a_turn_and_its_mirror_come_back():
    for rows, turned in ((1, 0.6), (2, 0.0)):
        dance = Choreography("mine", beats=22)
        dance.legs("turn", 2, repeat=rows, alternate=True, angle=0.6)
        schedule = dance.dance.plan(Path()).problem.schedule
        for X in schedule.phases[-1].contacts.values():
            R = X.rotation().matrix()
            heading = np.arctan2(R[1, 0], R[0, 0])
            robot = make_robot("atlas", (), Mount())
            feet = Configuration(robot, start_configuration(robot, "stand"))
            R0 = feet.pose("l_foot").rotation().matrix()
            assert heading - np.arctan2(R0[1, 0], R0[0, 0]) == pytest.approx(
                turned, abs=0.05
            )


def test_soft_and_stiff_are_followed_as_they_say():
    """The wave against a fast swing of the weight: stiff is nearer to its targets."""
    errors = []
    for tracking in (0.0, 1.0):
        dance = Choreography("mine", beats=10)
        dance.arms("pump", 2, beats=6, cycle=1, angle=1.6, tracking=tracking)
        behavior = solved(dance)
        j = behavior.robot_model.joint_index("l_arm_elx")
        angle = behavior.motion.q[:, behavior.robot_model.base_positions + j]
        errors.append(abs(np.ptp(angle) - 1.6))
    assert errors[1] < 0.5 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(MOVES))
def test_every_move_builds_alone(name):
    behavior = solve_preview(name, Path())
    assert behavior.certificate.passed
    table = measure_markers(behavior.events, planned(behavior))
    assert len(table) == sum(e.kind == "marker" for e in behavior.events)
    assert table.empty == (MOVES[name].marker is None)
    assert table["error"].abs().max() <= MARKER_MEAN or table.empty


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(PAIRS))
def test_any_two_moves_go_together(seed):
    """Of different tracks at once, of one track one after the other."""
    rng = np.random.default_rng(seed)
    first, second = (MOVES[str(n)] for n in rng.choice(FREE, 2, replace=False))
    at = 2.0
    dance = Choreography("mine", beats=28)
    dance.add(first.track, first.name, at)
    if first.track == second.track:
        at += first.usual_beats(first.defaults())
    dance.add(second.track, second.name, at)
    assert solved(dance).certificate.passed


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG_DANCES)
def test_the_long_dances_are_verified(name, built):
    behavior = built(name)
    assert behavior.duration >= 45.0
    assert behavior.certificate.passed
    assert {e.who for e in behavior.events} == {"legs", "body", "arms", "head"}
