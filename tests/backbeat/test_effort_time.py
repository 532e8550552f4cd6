"""The front of effort and time: dearer seconds, shorter motions, more effort."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

from backbeat.figures.drawing.sources import Sources
from backbeat.figures.studies import effort_time as module
from backbeat.figures.studies.effort_time import Point, effort_of, effort_time, front
from backbeat.models.common.errors import BackbeatError

CHEAP, DEAR = 3.0, 60.0
# One foot up and down, sooner solved than two steps.
LIFT = """\
kind: footsteps
name: up
steps:
  - {feet: both, time: 0.6}
  - {feet: right, time: 0.8, clearance: 0.1, between: [0.2, 2.0]}
  - {feet: both, time: 0.6}
"""


def test_effort_is_the_integral_of_squared_shares_of_limits(built):
    """A robot with every joint at half its limit has a quarter a joint and second."""
    stand = built("stand")
    half = np.ones_like(stand.motion.tau) * 0.5 * stand.robot_model.effort_limits
    motion = dataclasses.replace(stand.motion, tau=half)
    made = dataclasses.replace(stand, motion=motion)
    joints = len(stand.robot_model.effort_limits)
    assert effort_of(made) == pytest.approx(0.25 * joints * stand.duration)


def test_a_dearer_second_is_paid_in_effort():
    """Both are verified, or `front` would raise; neither is better in both."""
    slow, fast = front((CHEAP, DEAR), LIFT)
    assert (slow.price, fast.price) == (CHEAP, DEAR)
    assert fast.duration < slow.duration - 0.05
    assert fast.effort > 1.02 * slow.effort


def test_what_fails_verification_is_no_point():
    falls = "kind: footsteps\nname: falls\nsteps:\n  - {feet: none, time: 2.0}\n"
    with pytest.raises(BackbeatError):
        front((1.0,), falls)


def test_what_is_drawn_is_the_front(monkeypatch, tmp_path):
    points = [Point(0.0, 1.1, 0.1), Point(50.0, 0.7, 0.15)]
    monkeypatch.setattr(module, "front", lambda: points)
    (axes,) = effort_time(Sources(tmp_path)).axes
    (line,) = axes.lines
    assert line.get_xydata().tolist() == [[1.1, 0.1], [0.7, 0.15]]
    assert [text.get_text() for text in axes.texts] == ["time: 0", "time: 50"]


def test_the_page_has_the_motion_that_is_drawn():
    page = (Path(__file__).parents[2] / "docs/reference/costs.md").read_text()
    (shown,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert shown == f"{module.MOTION}objectives: {{effort: 100, time: 10}}\n"
    assert (module.EFFORT, 10.0 in module.TIMES) == (100.0, True)
    (row,) = re.findall(r"^\| `time` \|(.*)\|$", page, re.MULTILINE)
    assert [float(cell) for cell in row.split("|")] == list(module.TIMES)
