"""Robots that are not Atlas, from the package example-robot-data.

Talos has fingers that follow each other, differential drives, friction, and meshes that
Drake does not read; UR5 is an arm. A few lines of YAML beside each are all there is.
"""

import shutil
from importlib.metadata import distribution
from pathlib import Path

import pytest
from pydrake.systems.analysis import Simulator

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.diagram import build_closed_loop
from backbeat.mpc.simulation.simulate import run_scenario

HERE = Path(__file__).parent / "other_robots"
ROBOTS = distribution("example-robot-data").locate_file(
    "cmeel.prefix/share/example-robot-data/robots"
)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Specifications, and robots with the path of their URDF."""
    folder = tmp_path_factory.mktemp("other_robots")
    for path in HERE.glob("*.yaml"):
        shutil.copy(path, folder)
    for name in ("talos", "ur5", "panda"):
        text = (HERE / f"{name}.yaml").read_text()
        (folder / f"{name}.yaml").write_text(text.replace("{robots}", str(ROBOTS)))
    return folder


@pytest.mark.parametrize(
    ("name", "com", "angle"),
    [
        ("talos-squat", 1.0, 0.5),
        ("talos-reach", 1.0, 0.5),
        ("talos-sway", 2.0, 0.5),
        ("ur5-reach", 0.5, 0.1),
        ("panda-grip", 0.5, 0.1),
    ],
)
def test_a_behavior_is_built_verified_and_tracked(folder, tmp_path, name, com, angle):
    """Center of mass and joints stay near the plan: in mm and degrees, at most.

    Joints that slide stay within half a millimeter, of 15 that a finger moves.
    """
    behavior = build(str(folder / f"{name}.yaml"), Library(tmp_path))
    assert behavior.certificate.passed, behavior.certificate.failures()
    robot = behavior.robot_model
    metrics = run_metrics(run_scenario(Scenario.of(name), behavior))
    assert metrics["survived"]
    assert metrics["com_error_mm"]["max"] < com
    assert metrics["joint_error_deg"]["max"] < angle
    slides = (~robot.tree.revolute).any()
    assert (metrics["slide_error_mm"]["max"] is not None) == slides
    if slides:
        assert metrics["slide_error_mm"]["max"] < 0.5
    # Standing still would not have passed.
    assert metrics["range"]["achieved"]["widest_joint_rad"] > 0.05
    if robot.name == "talos":
        assert len(robot.locked) == 14
        assert (robot.friction > 0).sum() == 18
        assert any("HalfDiff" in note for note in behavior.provenance["remarks"])


def test_fingers_of_a_tracked_hand_follow_each_other(folder, tmp_path):
    behavior = build(str(folder / "panda-grip.yaml"), Library(tmp_path))
    (follower,) = behavior.robot_model.followers
    assert (follower.name, follower.multiplier) == ("panda_finger_joint2", 1.0)
    loop = build_closed_loop(behavior, Scenario.of("panda-grip"))
    simulator = Simulator(loop.diagram, loop.make_context())
    simulator.AdvanceTo(1.8 + loop.scenario.timing.lead_in)
    plant = loop.world.plant
    context = plant.GetMyContextFromRoot(simulator.get_context())
    first, second = (
        plant.GetJointByName(name).GetOnePosition(context)
        for name in (follower.leader, follower.name)
    )
    # It arrives, 5 mm from the end of its travel.
    assert first == pytest.approx(0.035, abs=1e-3)
    assert second == pytest.approx(first, abs=1e-4)


def test_a_reach_arrives(folder, tmp_path):
    behavior = build(str(folder / "talos-reach.yaml"), Library(tmp_path))
    q = behavior.motion.q[int(0.5 * len(behavior.motion.q))]
    hand = Configuration(behavior.robot_model, q).pose("gripper_left_base_link")
    assert hand.translation() == pytest.approx([0.5, 0.25, 1.05], abs=2e-3)
