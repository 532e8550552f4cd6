"""Pedals: where beaters are, what moves them, and what a foot feels."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.systems.framework import DiagramBuilder
from scipy.optimize import brentq

from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.description import kit_text
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.kit.pedals import HEAD_RADIUS, HINGE, PedalMotion
from backbeat.models.kit.schema import PedalDescription
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.scene import ContactSettings, Scene, add_world
from backbeat.models.world.simulator import make_simulator

TEXT = kit_text("full-kit", Path())
KIT = DrumKit(text=TEXT)
PEDALS = KIT.pedals()
IDS = [pedal.member for pedal in PEDALS]


@pytest.fixture(scope="module")
def world():
    """Diagram and world of a robot far above the kit."""
    builder = DiagramBuilder()
    robot = RobotModel("atlas", ("sticks",))
    found = add_world(builder, robot, scene=Scene("drum-kit", kit=TEXT))
    return builder.Build(), found


def simulator_at(world, pedal, angle):
    """A simulator with a board at rest at an angle, the robot out of the way."""
    diagram, found = world
    context = diagram.CreateDefaultContext()
    own = found.plant.GetMyMutableContextFromRoot(context)
    q = np.r_[1.0, np.zeros(6), np.zeros(found.robot.num_joints)]
    q[6] = 50.0
    found.set_state(own, q, np.zeros(found.robot.num_velocities))
    set_board(found.plant, own, pedal, angle)
    simulator = make_simulator(diagram, context, found.plant)
    simulator.Initialize()
    return simulator, own


def set_board(plant, context, pedal, angle):
    plant.GetJointByName(f"{pedal.member}{HINGE}").set_angle(context, -angle)
    axle = plant.GetJointByName(f"{pedal.member}_axle")
    axle.set_angle(context, pedal.swing(angle))


def board_angle(plant, context, pedal):
    return -plant.GetJointByName(f"{pedal.member}{HINGE}").get_angle(context)


def test_the_full_kit_is_the_usual_one_with_two_pedals():
    assert IDS == ["kick", "pedal_hi_hat"]
    assert [pedal.foot for pedal in PEDALS] == ["right", "left"]
    assert set(DrumKit().members) < set(KIT.members)
    assert not DrumKit().pedals()


@pytest.mark.parametrize("pedal", PEDALS, ids=IDS)
def test_a_beater_touches_the_middle_of_the_head_along_its_normal(pedal):
    motion = pedal.head_motion(pedal.swing(pedal.hit), 1.0)
    X = KIT.strike_pose(pedal.member)
    at = X.inverse().multiply(motion[:3])
    assert_allclose(at, [0.0, 0.0, HEAD_RADIUS], atol=1e-12)
    speed = X.rotation().inverse().multiply(motion[3:])
    assert_allclose(speed, [0.0, 0.0, -pedal.description.arm], atol=1e-12)
    # And is well away from it at rest.
    rest = pedal.head_motion(pedal.swing(pedal.rest), 0.0)[:3]
    assert X.inverse().multiply(rest)[2] > HEAD_RADIUS + 0.03


@pytest.mark.parametrize("pedal", PEDALS, ids=IDS)
def test_it_is_drake_that_has_the_beater_there(world, pedal):
    """Place and velocity of the head, by differences of Drake's poses."""
    diagram, found = world
    plant = found.plant
    own = plant.GetMyContextFromRoot(diagram.CreateDefaultContext())
    motion, i = PedalMotion(plant, PEDALS), IDS.index(pedal.member)
    places = []
    for angle in (0.2, 0.2 - 1e-6):
        set_board(plant, own, pedal, angle)
        body = plant.GetBodyByName(pedal.beater)
        head = np.array([pedal.description.arm, 0.0, 0.0])
        places.append(body.EvalPoseInWorld(own).multiply(head))
        x = plant.GetPositionsAndVelocities(own)
        assert_allclose(motion.at(x)[i, :3], places[-1], atol=1e-9)
    rate = 1e6 * (places[1] - places[0])
    axle = plant.GetJointByName(f"{pedal.member}_axle")
    axle.set_angular_rate(own, pedal.description.gear)
    x = plant.GetPositionsAndVelocities(own)
    assert_allclose(motion.at(x)[i, 3:], rate, atol=1e-4)


@pytest.mark.parametrize("pedal", PEDALS, ids=IDS)
def test_a_free_board_rises_as_its_law_says(world, pedal):
    """Where no foot presses, spring, weight and inertia are all there is."""
    angle, time = pedal.hit + 0.03, 0.02
    simulator, own = simulator_at(world, pedal, angle)
    simulator.AdvanceTo(time)
    plant = world[1].plant
    risen = board_angle(plant, own, pedal) - angle
    free = brentq(lambda a: pedal.press(angle, 0.0, a) - 1e-9, -100.0, 500.0)
    # To a tenth: the spring slackens on the way, and steps are a millisecond.
    assert risen == pytest.approx(0.5 * free * time * (time + 1e-3), rel=0.1)
    # The chain holds.
    axle = plant.GetJointByName(f"{pedal.member}_axle").get_angle(own)
    assert axle == pytest.approx(pedal.swing(angle + risen), abs=1e-4)


@pytest.mark.parametrize("pedal", PEDALS, ids=IDS)
def test_left_alone_it_comes_to_its_stop_above_rest(world, pedal):
    simulator, own = simulator_at(world, pedal, pedal.rest)
    simulator.AdvanceTo(0.5)
    angle = board_angle(world[1].plant, own, pedal)
    assert np.degrees(angle - pedal.rest) == pytest.approx(5.0, abs=0.1)
    assert pedal.press(pedal.rest, 0.0, 0.0) > 0.3


def test_boards_are_under_toes_and_not_under_heels():
    robot = RobotModel("atlas", ("right_pedal", "left_pedal"))
    sole = robot.contacts["r_foot"]
    assert robot.rests == ("l_heel", "r_heel")
    begin, end = PedalDescription().board
    assert 0.03 < begin < 2 * sole.half_length < end


def test_pedals_need_steps():
    robot = RobotModel("atlas", ("sticks",))
    with pytest.raises(BackbeatError, match="pedal of the kick is simulated in steps"):
        add_world(
            DiagramBuilder(),
            robot,
            contact=ContactSettings("continuous"),
            scene=Scene("drum-kit", kit=TEXT),
        )


@pytest.mark.parametrize(
    ("pedal", "said"),
    [
        ("{foot: third}", "pedal.foot .*left, right"),
        ("{heel: [0.3, -0.1, 0.2]}", "heels rest on the floor"),
        ("{hit_deg: 17}", "rest_deg is at least 3 above hit_deg"),
        ("{foot: left}", "kick and pedal_hi_hat both have a pedal for the left"),
    ],
)
def test_pedals_that_make_no_sense(tmp_path, pedal, said):
    text = f"base: full-kit\nmembers: {{kick: {{pedal: {pedal}}}}}\n"
    (tmp_path / "k.yaml").write_text(text)
    with pytest.raises(BackbeatError, match=said):
        kit_text("k.yaml", tmp_path)
