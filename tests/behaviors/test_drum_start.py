"""A drummer rests clear of kit and self, or is refused before anything is solved."""

import numpy as np
import pytest
import yaml

from backbeat.behaviors.building.build import build
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.library.store import Library
from backbeat.models.collision.shapes import CollisionModel
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.state.configuration import Configuration

REST = {"left": "snare", "right": "floor_tom"}


def plan(folder, left, right):
    """A song that only rests, with the sticks on two drums."""
    rest = {"left": left, "right": right}
    part = {"name": "ready", "hold": 8, "rest": rest}
    (folder / "scores").mkdir()
    text = yaml.safe_dump({"bpm": 100, "parts": [part]})
    (folder / "scores" / "rest.yaml").write_text(text)
    return DrummingSpecification(name="rest", score="rest", seat="chair").plan(folder)


def built(folder, left, right, later=True):
    """A song in which sticks rest on two drums, after a few strokes or at once."""
    rest = {"name": "rest", "hold": 8, "rest": {"left": left, "right": right}}
    ready = {"name": "ready", "hold": 4, "rest": dict(REST)}
    play = {"name": "play", "left": "3 - 3 -", "right": "- 3 - 3"}
    parts = [ready, play, rest] if later else [rest]
    (folder / "scores").mkdir()
    text = yaml.safe_dump({"bpm": 100, "parts": parts})
    (folder / "scores" / "rest.yaml").write_text(text)
    path = folder / "rest.yaml"
    path.write_text(
        "kind: drumming\nname: rest\nsummary: Rests.\nscore: rest\nseat: chair\n"
    )
    return build(path, Library(folder / "library"))


def clearance(problem):
    """Least distance of all but tips beyond their margin, at the start [m]."""
    model: CollisionModel = problem.collisions
    state = Configuration(problem.robot, problem.q_start)
    distances, _ = state.distances(model.arrays())
    behind = np.array([f.part != "tip" for f in model.spheres])
    return float(distances[behind].min()) - model.margin


@pytest.mark.parametrize(
    "rests",
    [
        *(("snare", "floor_tom"), ("high_tom", "high_tom"), ("mid_tom", "mid_tom")),
        *(("snare", "snare"), ("snare", "hi_hat"), ("mid_tom", "high_tom")),
    ],
)
def test_the_start_is_clear_of_the_kit(rests, tmp_path):
    """The nearest posture has a stick through its neighbor on a tom: -10 mm."""
    assert clearance(plan(tmp_path, *rests).problem) > -6e-4


def test_what_fails_at_the_start_is_said_at_the_start(tmp_path):
    with pytest.raises(BackbeatError, match="starts with the left stick on floor_tom"):
        plan(tmp_path, "floor_tom", "snare")


@pytest.mark.parametrize("member", ["snare", "high_tom"])
def test_tips_that_rest_on_one_head_are_side_by_side(member, tmp_path):
    problem = plan(tmp_path, member, member).problem
    state = Configuration(problem.robot, problem.q_start)
    left, right = (state.pose(f"{s}_stick_tip").translation() for s in "lr")
    assert np.linalg.norm(left - right) > 0.06
    # The left one is to the left, and both are at one height.
    assert left[1] - right[1] > 0.06
    head = DrumKit().member(member)
    assert np.hypot(*(left - right)[:2]) < 2 * head.radius


@pytest.mark.parametrize(
    "rests",
    [
        ("snare", "snare"),
        pytest.param(("high_tom", "high_tom"), marks=pytest.mark.slow),
        pytest.param(("hi_hat", "snare"), marks=pytest.mark.slow),
    ],
)
def test_rests_in_the_middle_of_a_song_are_built(rests, tmp_path):
    """With both tips at one point no motion was found, after half a minute."""
    assert built(tmp_path, *rests).certificate.passed


@pytest.mark.slow
def test_hands_that_cross_at_the_start_are_built(tmp_path):
    assert built(tmp_path, "snare", "hi_hat", False).certificate.passed
