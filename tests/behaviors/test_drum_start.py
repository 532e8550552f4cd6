"""A drummer starts clear of the kit, or is refused before anything is solved."""

import numpy as np
import pytest
import yaml

from behaviors.drumming import DrummingSpecification
from models.collision import CollisionModel
from models.configuration import Configuration
from models.errors import BackbeatError


def plan(folder, left, right):
    """A song that only rests, with the sticks on two drums."""
    rest = {"left": left, "right": right}
    part = {"name": "ready", "hold": 8, "rest": rest}
    (folder / "scores").mkdir()
    text = yaml.safe_dump({"bpm": 100, "parts": [part]})
    (folder / "scores" / "rest.yaml").write_text(text)
    return DrummingSpecification(name="rest", score="rest", seat="chair").plan(folder)


def clearance(problem):
    """Least distance of all but tips beyond their margin, at the start [m]."""
    model: CollisionModel = problem.collisions
    state = Configuration(problem.robot, problem.q_start)
    distances, _ = state.distances(model.arrays())
    behind = np.array([f.part != "tip" for f in model.feelers])
    return float(distances[behind].min()) - model.margin


@pytest.mark.parametrize(
    "rests", [("snare", "floor_tom"), ("high_tom", "high_tom"), ("mid_tom", "mid_tom")]
)
def test_the_start_is_clear_of_the_kit(rests, tmp_path):
    """The nearest posture has a stick through its neighbor on a tom: -10 mm."""
    assert clearance(plan(tmp_path, *rests).problem) > -6e-4


def test_what_fails_at_the_start_is_said_at_the_start(tmp_path):
    with pytest.raises(BackbeatError, match="starts with the left stick on floor_tom"):
        plan(tmp_path, "floor_tom", "snare")
