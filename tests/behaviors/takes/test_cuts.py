"""Cuts: what is on the floor besides soles is found by time and body."""

import time
from dataclasses import replace

import numpy as np
import pytest
from pydrake.geometry import Box
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.systems.framework import DiagramBuilder

from backbeat.behaviors.cuts import finding
from backbeat.behaviors.cuts.body_heights import find_heights
from backbeat.behaviors.cuts.finding import find_parts
from backbeat.behaviors.takes.take import Take
from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.cones import collision_shapes
from benchmarks.spoiled_takes import truth_of
from tests.behaviors.takes.conftest import robot_named
from tests.behaviors.takes.floor_takes import (
    KNEELS,
    ON_ITS_BACK,
    ON_ITS_FRONT,
    STANDS,
    down_and_up,
    floor_take,
)

# Processor time of a minute of motion, at most [s].
COST = 3.0


@pytest.mark.parametrize("name", ["atlas", "g1"])
@pytest.mark.parametrize(
    ("pose", "bodies"),
    [
        (KNEELS, {"left knee", "right knee"}),
        (ON_ITS_BACK, {"back"}),
        (ON_ITS_FRONT, {"left hand", "right hand"}),
    ],
)
def test_what_is_on_the_floor_is_named_with_its_time(name, pose, bodies):
    found = find_parts(down_and_up(robot_named(name), pose), robot_named(name))
    (obstacle,) = found.obstacles
    assert bodies <= set(obstacle.bodies)
    assert not {"head", "left foot", "right foot"} & set(obstacle.bodies)
    assert 3.0 < obstacle.start < 4.1
    assert 5.9 < obstacle.end < 7.0
    (first, second) = found.parts
    assert first == pytest.approx((0.0, 3.0), abs=0.1)
    assert second == pytest.approx((7.0, 10.0), abs=0.1)
    assert " on the floor from " in found.sentence()
    assert "s remain" in found.sentence()


def test_heights_are_those_of_drake():
    """The lowest points of links, as distances from a box that is the floor."""
    robot = robot_named("g1")
    take = down_and_up(robot, KNEELS)
    q = np.hstack([take.base, take.q])[[100, 175, 250]]
    q[:, 6] += 0.2  # Drake's distances between boxes are exact where they are apart.
    heights = find_heights(robot, q)
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.0)
    robot.add_to(plant, graph)
    floor = plant.RegisterCollisionGeometry(
        plant.world_body(),
        RigidTransform([0.0, 0.0, -0.5]),
        Box(20.0, 20.0, 1.0),
        "floor",
        CoulombFriction(0.5, 0.5),
    )
    plant.Finalize()
    diagram = builder.Build()
    root = diagram.CreateDefaultContext()
    context = plant.GetMyMutableContextFromRoot(root)
    inspector = graph.model_inspector()
    query = graph.get_query_output_port()
    links = {"left knee": "left_knee_link", "right hand": "right_rubber_hand"}
    links["trunk"] = "torso_link"
    for i, row in enumerate(q):
        full = plant.GetPositions(context)
        full[:7] = row[:7]
        for name, angle in zip(robot.joint_names, row[7:], strict=True):
            full[plant.GetJointByName(name).position_start()] = angle
        plant.SetPositions(context, full)
        state = query.Eval(graph.GetMyContextFromRoot(root))
        for word, link in links.items():
            body = plant.GetBodyByName(link)
            lowest = min(
                state.ComputeSignedDistancePairClosestPoints(floor, g).distance
                for g in collision_shapes(plant, inspector, body)
            )
            own = heights.height[i, heights.words.index(word)]
            assert own <= lowest + 1e-4
            assert own == pytest.approx(lowest, abs=2e-3)


def test_a_take_on_its_feet_is_whole(built):
    for name in ("squat-jump", "quarter-turn"):
        truth = truth_of(built(name), 4.0)
        robot = truth.robot
        q = truth.q.copy()
        q[:, 6] += 0.03
        take = Take(truth.t, robot.joint_names, q[:, 7:], q[:, :7])
        found = find_parts(take, robot)
        assert found.is_whole
        assert found.parts == ((found.first, found.last),)
        assert len(found.flights) == (name == "squat-jump")
        assert find_parts(replace(take, base=None), robot).is_whole


def test_a_take_is_cut_once(monkeypatch):
    robot = robot_named("g1")
    take = down_and_up(robot, KNEELS)
    found = find_parts(take, robot)
    monkeypatch.setattr(finding, "find_contacts", None)
    again = find_parts(take, robot, 0.0, float(take.t[-1]), "the same by its times")
    assert again is found
    with pytest.raises(TypeError):
        find_parts(take, robot, 0.0, 9.0)
    with pytest.raises(TypeError):
        find_parts(replace(take), robot)


def test_parts_begin_and_end_where_it_stands():
    robot = robot_named("g1")
    take = down_and_up(robot, KNEELS)
    found = find_parts(take, robot)
    for part in found.parts:
        assert find_parts(take, robot, *part).is_whole
    assert found.longest in found.parts
    cut = find_parts(take, robot, 5.0, 9.0)
    assert cut.parts[0] == pytest.approx((7.0, 9.0), abs=0.1)
    with pytest.raises(BackbeatError, match="the part from 5 to 99 s was asked for"):
        find_parts(take, robot, 5.0, 99.0)


@pytest.mark.parametrize("pose", [KNEELS, ON_ITS_BACK])
def test_a_take_that_never_stands_has_no_part(pose):
    robot = robot_named("g1")
    found = find_parts(floor_take(robot, [(0, pose), (10, pose)]), robot)
    assert not found.parts
    assert "no part remains that begins and ends on both feet" in found.sentence()
    with pytest.raises(BackbeatError, match=r"the take has .* on the floor"):
        _ = found.longest


def random_take(robot, seed, n=500):
    """Nothing that a body could do."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(n, 7)) * np.r_[np.ones(4), 3.0, 3.0, 1.0]
    base[:, :4] /= np.linalg.norm(base[:, :4], axis=1)[:, None]
    q = rng.uniform(-3, 3, (n, robot.num_joints))
    return Take(np.cumsum(rng.uniform(0.005, 0.04, n)), robot.joint_names, q, base)


@pytest.mark.parametrize("n", [2, 3, 30, 500])
def test_hostile_takes_have_an_answer(n):
    robot = robot_named("g1")
    for seed in range(2):
        found = find_parts(random_take(robot, seed, n), robot)
        assert all(found.first <= a < b <= found.last for a, b in found.parts)
        assert len(found.sentence()) < 1000


def test_its_time_is_bounded():
    robot = robot_named("g1")
    take = floor_take(robot, [(0, STANDS), (60, STANDS)])
    started = time.process_time()
    assert find_parts(take, robot).is_whole
    assert time.process_time() - started < COST
