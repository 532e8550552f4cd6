"""A watched show: the stage while a dance is being written."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from backbeat.behaviors.building.incremental_build import (
    IncrementalBuild,
    UpdatedBehavior,
)
from backbeat.behaviors.library.store import Library
from backbeat.cli.author.build import command
from backbeat.jobs.watching import Drafted, Performed, Refused, Working
from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from backbeat.stage.players.watched import WatchedShow
from backbeat.stage.sources.preview import PreviewSource
from tests.backbeat.performances import drumming, swaying

CHECKOUT = Path(__file__).parents[2]
DANCE = """\
kind: dance
name: mine
bpm: 100
beats: {beats}
tracks:
  legs:
    - {{move: bounce, at: 2, beats: 4, values: {{depth: {depth}}}}}
    - {{move: side-step, at: 8, values: {{width: 0.1}}}}
"""


@pytest.fixture
def draft(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(DANCE.format(beats=16, depth=0.05))
    return IncrementalBuild(path, Library(tmp_path / "library")).read()


@pytest.fixture
def show():
    urls, told = [], []
    show = WatchedShow(None, urls.append, told.append)
    show.urls, show.told = urls, told
    yield show
    show.close()


def performed(behavior, start, end):
    return Performed(UpdatedBehavior(behavior, start, end, 12, 3), 0.8)


def test_a_preview_goes_where_the_dance_wants(draft):
    """The pelvis sinks in a bounce, the feet step, and nobody carries weight."""
    take = PreviewSource(draft, draft.preview())
    robot, beat = take.behavior.robot_model, 0.6
    places = {}
    bounce = np.linspace(3.0, 5.0, 21)
    for at in (0.0, *bounce, 8.5, 11.9):
        frame = take.frame_at(at * beat)
        assert not frame.forces
        feet = [frame.state.pose(n).translation() for n in robot.soles]
        places[at] = np.array([*feet, frame.state.q[4:7]])
    np.testing.assert_allclose(places[0.0][:, 2][:2], 0.0, atol=1e-6)
    sunk = places[0.0][2, 2] - min(places[at][2, 2] for at in bounce)
    assert sunk == pytest.approx(0.05, abs=0.01)
    lifted = places[8.5][:2, 2]
    assert lifted.max() > 0.02
    moved = np.abs(places[11.9][:2, 1] - places[0.0][:2, 1])
    np.testing.assert_allclose(moved, 0.1, atol=1e-6)
    start = Configuration(robot, draft.plan.problem.q_start)
    assert places[0.0][2, 2] == pytest.approx(start.q[6], abs=0.01)


def test_the_stage_follows_what_is_written(show, draft):
    show.hear(Drafted(draft, (3.0, 4.0)))
    assert isinstance(show.source, PreviewSource)
    assert show.work == "solving …"
    assert show.span == pytest.approx((1.5, 5.5))
    show.hear(Working("verifying"))
    show.frame()
    behavior = swaying(duration=8.0)
    show.hear(performed(behavior, 3.0, 4.0))
    assert show.source.behavior is behavior
    assert show.span == pytest.approx((1.5, 5.5))
    show.frame()
    assert len(show.urls) == 1
    assert show.told == [
        "sway: verified 0.80 s after the save; solved 12 knots about 3.0 to 4.0 s"
    ]


def test_the_last_good_motion_stays_when_a_save_is_refused(show, draft):
    good = swaying(duration=8.0)
    show.hear(performed(good, 3.0, 4.0))
    show.hear(Drafted(draft, None))
    assert show.source.behavior is not good
    show.hear(Refused("mine.yaml:7: too deep."))
    assert show.source.behavior is good
    assert show.remark == "mine.yaml:7: too deep."
    assert show.told[-1] == "backbeat: mine.yaml:7: too deep."
    show.frame()
    show.hear(performed(good, 3.0, 4.0))
    assert show.remark == ""


def test_another_robot_or_set_gets_a_stage_of_its_own_at_the_same_place(show):
    show.hear(performed(swaying(duration=5.0), 0.0, 5.0))
    port = show._show.port
    show.hear(performed(drumming(duration=5.0), 0.0, 5.0))
    assert show._show.port == port
    show.frame()
    assert len(show.urls) == 1


def test_a_fault_in_the_work_is_raised(show):
    with pytest.raises(ZeroDivisionError):
        show.hear(ZeroDivisionError())


@pytest.mark.parametrize("names", [[], ["groove", "march"]])
def test_one_file_is_watched(names, tmp_path):
    with pytest.raises(BackbeatError, match="--watch follows one file"):
        command(names, tmp_path, watched=True)


def test_a_stage_knows_which_takes_it_can_show(show):
    behavior = swaying(duration=5.0)
    show.hear(performed(behavior, 0.0, 5.0))
    first = show._show
    show.hear(performed(replace(behavior, summary="Another."), 0.0, 5.0))
    assert show._show is first


@pytest.mark.slow
def test_the_whole_loop_from_save_to_stage(tmp_path, request):
    """As a person would: write, look, mistake, mend, look, Ctrl-C."""
    path = tmp_path / "mine.yaml"
    path.write_text(DANCE.format(beats=24, depth=0.05))
    arguments = ["build", "mine.yaml", "--watch", "--library", "library"]
    watched = subprocess.Popen(
        [sys.executable, "-m", "backbeat.cli.main", *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONUNBUFFERED": "1", "PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    request.addfinalizer(watched.kill)

    def line(pattern):
        text = watched.stdout.readline()
        assert re.search(pattern, text), text
        return text

    line("Watching mine.yaml")
    line(r"On stage at http://127\.0\.0\.1:\d+/")
    line(r"mine: verified .* of motion")
    path.write_text(DANCE.format(beats=24, depth=0.07))
    line(r"mine: verified .* solved \d+ knots about 1\.\d to 3\.\d s")
    path.write_text(DANCE.format(beats=24, depth=0.07).replace("bounce", "bonce"))
    line(r"backbeat: mine\.yaml:7: unknown move .*did you mean bounce")
    path.write_text(DANCE.format(beats=24, depth=0.04))
    line(r"mine: verified .* solved \d+ knots")
    # A save while another one is being solved takes its place.
    path.write_text(DANCE.format(beats=28, depth=0.04))
    time.sleep(0.3)
    path.write_text(DANCE.format(beats=24, depth=0.06))
    line(r"mine: verified .* solved \d+ knots")
    watched.send_signal(signal.SIGINT)
    rest, _ = watched.communicate(timeout=20)
    assert watched.returncode == 0
    assert "Traceback" not in rest
    stored = Library(tmp_path / "library").load("mine")
    assert stored.certificate.passed
    assert "depth: 0.06" in stored.specification
    assert not list((tmp_path / "library").glob("*tmp*"))
