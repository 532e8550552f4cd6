"""What the benchmarks are made of, checked in the everyday suite."""

import json

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from benchmarks import environment
from benchmarks.crocoddyl.peer import motion_of
from benchmarks.measurement import Timing, fitted_exponent, medians
from benchmarks.offline import GOALS, MOTIONS, Row, write_json
from benchmarks.problems import WALK_2, squats


@pytest.mark.parametrize(
    ("name", "knots", "length"),
    [
        ("walk of 2 steps", 71, 0.2),
        ("walk of 6 steps", 213, 1.0),
        ("forward jump of 0.4 m", 42, 0.4),
    ],
)
def test_crocoddyl_is_asked_for_the_knots_and_steps_of_ours(name, knots, length):
    problem = MOTIONS[name].problem()
    assert problem.num_knots == knots
    motion = json.loads(json.dumps(motion_of(problem)))
    assert sum(phase["intervals"] for phase in motion["phases"]) == knots - 1
    duration = sum(phase["intervals"] * phase["dt"] for phase in motion["phases"])
    assert duration == pytest.approx(problem.times[-1])
    for foot, end in motion["phases"][-1]["feet"].items():
        start = motion["phases"][0]["feet"][foot]
        assert np.subtract(end, start) == pytest.approx([length, 0, 0])


def test_longer_steps_end_further_ahead():
    ends = [
        WALK_2.problem(longer).schedule.phases[-1].contacts["l_foot"].translation()
        for longer in (0.0, 0.01)
    ]
    assert ends[1] - ends[0] == pytest.approx([0.01, 0, 0])


@pytest.mark.parametrize("knots", [40, 160])
def test_squats_keep_their_pace(knots):
    problem = squats(knots)
    heights = problem.tasks[0].p_WG[:, 2]
    low = heights < heights.mean()
    assert problem.num_knots == knots
    assert np.count_nonzero(np.diff(low.astype(int)) > 0) == knots // 40
    assert heights[-1] == pytest.approx(heights[0])


def test_exponent_of_a_power_law():
    sizes = np.array([40, 80, 160])
    assert fitted_exponent(sizes, 3e-4 * sizes**1.3) == pytest.approx(1.3)


def test_medians_leave_the_first_round_out_and_take_turns():
    order = []

    def case(name, seconds):
        times = iter(seconds)

        def run():
            order.append(name)
            return Timing(next(times), 7)

        return run

    cases = {"a": case("a", [90, 1, 2, 9]), "b": case("b", [90, 4, 4, 4])}
    found = medians(cases, repetitions=3)
    assert (found["a"].seconds, found["b"].seconds) == (2, 4)
    assert order == ["a", "b"] * 4


def test_json_holds_goal_and_ratios(tmp_path):
    name = "walk of 2 steps"
    ours, full, near = Timing(0.2, 13), Timing(1.0, 40), Timing(0.4, 12)
    row = Row(name, 71, ours, 0.2, crocoddyl=full, near=near)
    write_json([row], 5, tmp_path / "new" / "offline.json")
    written = json.loads((tmp_path / "new" / "offline.json").read_text())["rows"][0]
    assert written["crocoddyl"]["iterations"] == 40
    assert written["near_ratio"] == pytest.approx(0.5)
    assert written["goal"] == GOALS[name]
    assert not written["is_met"]


def test_environment_leaves_a_folder_alone_that_is_none(tmp_path):
    thesis = tmp_path / "crocoddyl" / "thesis.tex"
    thesis.parent.mkdir()
    thesis.touch()
    with pytest.raises(BackbeatError, match="no environment of ours"):
        environment.make_environment(tmp_path)
    assert list(thesis.parent.iterdir()) == [thesis]


def test_environment_goes_where_the_variable_says(tmp_path, monkeypatch):
    monkeypatch.setenv(environment.CACHE_VARIABLE, str(tmp_path))
    assert environment.cache_folder() == tmp_path


@pytest.mark.slow
def test_an_installation_that_fails_says_why_and_is_made_anew(tmp_path, monkeypatch):
    requirements = tmp_path / "tools" / "crocoddyl" / "requirements.txt"
    requirements.parent.mkdir(parents=True)
    requirements.write_text("no-such-package-of-backbeat @ file:///nowhere/none.whl\n")
    monkeypatch.setattr(environment, "__file__", str(tmp_path / "tools" / "here.py"))
    for _ in range(2):
        with pytest.raises(BackbeatError, match=r"could not be installed.*none.whl"):
            environment.make_environment(tmp_path)
