import pandas as pd
import pytest

from backbeat.behaviors.kinematic.singular_values import CASES
from backbeat.mpc.runs.file import run_frame, run_story
from backbeat.report.pages.drumming import can_analyze, drumming_section
from backbeat.report.plots.drumming import plot_cures, plot_joints
from tests.backbeat.performances import drumming, run_of, swaying


@pytest.fixture(scope="module")
def run():
    return run_of(drumming(False, 4.0))


def made_up_story(run):
    """A story in which every stroke was made, half a millisecond late."""
    story = run_story(run, {"rests": None})
    hits = [
        {**hit, "made": True, "error": 5e-4, "speed": 1.5, "offset": 0.0}
        for hit in story["hits"]
    ]
    return {**story, "hits": hits}


def test_the_section_tells_what_was_drummed(run):
    section = drumming_section(run_frame(run), made_up_story(run))
    assert section.count("<svg") == 2
    for words in ("60 n / Δt", "Singular values", "stroke height", "Fujii", "0.50"):
        assert words in section


def test_a_robot_on_a_chair_is_analyzed_too():
    run = run_of(drumming(duration=2.0, on_chair=True))
    assert run.behavior.robot_model.equipment == ("sticks", "seat")
    assert can_analyze(made_up_story(run))
    section = drumming_section(run_frame(run), made_up_story(run))
    assert "Singular values" in section


def test_only_a_free_drummer_is_analyzed_so(run):
    assert can_analyze(made_up_story(run))
    assert not can_analyze(run_story(run_of(swaying(1.0)), {}))


def test_figures_have_a_line_for_every_joint_and_case(run):
    above, below = plot_joints(run_frame(run)).axes
    assert len(above.lines) == len(below.lines) == 17
    assert above.lines[0].get_xdata().min() >= 0.0
    rows = [
        {"case": case, "t": t, "smallest": 0.2, "fastest": 3.0, "excess": 0.0}
        for case in CASES
        for t in (0.0, 1.0)
    ]
    above, below = plot_cures(pd.DataFrame(rows)).axes
    assert len(above.lines) == len(below.lines) == len(CASES)
    above, _ = plot_cures(pd.DataFrame(rows), 0.15).axes
    assert above.lines[-1].get_ydata()[0] == 0.15
