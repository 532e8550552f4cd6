"""The examples in docs run as they are printed, and do what they say."""

import io
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import ExternallyAppliedSpatialForce, MultibodyPlant
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.models.world.scene import World
from backbeat.mpc.reference.trajectory import Reference
from tests.tolerances import CARRIED_WEIGHT, FOLLOWED

CHECKOUT = Path(__file__).parents[2]
OWN_DIAGRAM = CHECKOUT / "docs/how_to/own_diagram.py"
OWN_LOOP = CHECKOUT / "docs/how_to/own_loop.py"
OWN_ENGINE = CHECKOUT / "docs/how_to/own_engine.py"
OWN_COST = CHECKOUT / "docs/how_to/own_cost.py"
OWN_PROBLEM = CHECKOUT / "docs/how_to/own_problem.py"
OWN_SQUAT = CHECKOUT / "docs/how_to/own_squat.yaml"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    """What `own_diagram.py` defines."""
    return runpy.run_path(str(OWN_DIAGRAM))


@pytest.fixture(scope="module")
def called(
    library_folder: Path, built: Callable[[str], Behavior]
) -> tuple[str, World, Simulator]:
    """What it prints, called as its head says, and its simulation, at the end."""
    built("posture-tour")
    example, kept = runpy.run_path(str(OWN_DIAGRAM)), []
    run, said = example["run"], io.StringIO()

    def keep(*arguments: Any) -> Any:
        kept.append(run(*arguments))
        return kept[-1]

    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said):
        patch.setitem(example["main"].__globals__, "run", keep)
        patch.setattr("sys.argv", [OWN_DIAGRAM.name, "--library", str(library_folder)])
        example["main"]()
    ((world, simulator),) = kept
    return said.getvalue(), world, simulator


@pytest.fixture(scope="module")
def crouch(
    called: tuple[str, World, Simulator], built: Callable[[str], Behavior]
) -> tuple[World, Simulator, Behavior]:
    return *called[1:], built("posture-tour")


def forces_by_link(plant: MultibodyPlant, simulator: Simulator) -> dict[str, float]:
    """Vertical force of the ground on each body that touches it [N]."""
    context = plant.GetMyContextFromRoot(simulator.get_context())
    results = plant.get_contact_results_output_port().Eval(context)
    forces: dict[str, float] = {}
    for i in range(results.num_point_pair_contacts()):
        info = results.point_pair_contact_info(i)
        a, b = (plant.get_body(k) for k in (info.bodyA_index(), info.bodyB_index()))
        # The force is the one on body B.
        body, sign = (b, 1.0) if a.name() == "world" else (a, -1.0)
        up = sign * float(info.contact_force()[2])
        forces[body.name()] = forces.get(body.name(), 0.0) + up
    return forces


def test_atlas_is_where_the_behavior_ends(
    crouch: tuple[World, Simulator, Behavior], example: dict[str, Any]
) -> None:
    """Pelvis and trunk have followed the behavior into the crouch."""
    world, simulator, behavior = crouch
    plant = world.plant
    context = plant.GetMyContextFromRoot(simulator.get_context())
    motion = behavior.motion
    q = motion.q[np.searchsorted(motion.t, example["DURATION"])]
    planned = plant.CreateDefaultContext()
    plant.SetPositions(planned, world.instance, q)
    for link in ("pelvis", "utorso"):
        body = plant.GetBodyByName(link)
        X, X_planned = (plant.EvalBodyPoseInWorld(c, body) for c in (context, planned))
        away = np.linalg.norm(X.translation() - X_planned.translation())
        assert away < FOLLOWED, link
    # The behavior really bends the knees, so standing still would not have passed.
    assert q[6] < motion.q[0, 6] - 10 * FOLLOWED


def test_feet_alone_carry_the_weight(
    crouch: tuple[World, Simulator, Behavior],
) -> None:
    world, simulator, behavior = crouch
    forces = forces_by_link(world.plant, simulator)
    forces.pop("ball", None)
    assert set(forces) == {"l_foot", "r_foot"}
    weight = behavior.robot_model.weight
    assert sum(forces.values()) == pytest.approx(weight, rel=CARRIED_WEIGHT)


def test_the_ball_has_bounced_off_the_chest(
    crouch: tuple[World, Simulator, Behavior],
) -> None:
    """It flew towards the robot and now rolls away from it."""
    world, simulator, _ = crouch
    plant = world.plant
    context = plant.GetMyContextFromRoot(simulator.get_context())
    ball = plant.GetModelInstanceByName("ball")
    assert plant.GetVelocities(context, ball)[3] > 0.1


def test_wired_as_documented_atlas_steps_after_a_push(
    example: dict[str, Any], built: Callable[[str], Behavior]
) -> None:
    """160 N s forward at the pelvis, more than any robot resists on its two soles."""
    behavior, builder = built("stand"), DiagramBuilder()
    world = example["add_own_world"](builder, behavior)
    example["add_controllers"](builder, world, behavior)
    diagram, plant = builder.Build(), world.plant
    simulator = Simulator(diagram, example["start"](diagram, world, behavior))
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    # The ball lies far away.
    ball = plant.GetModelInstanceByName("ball")
    plant.SetPositions(context, ball, [1.0, 0.0, 0.0, 0.0, 9.0, 9.0, 0.1])
    plant.SetVelocities(context, ball, np.zeros(6))
    force = ExternallyAppliedSpatialForce()
    force.body_index = plant.GetBodyByName("pelvis").index()
    port = plant.get_applied_spatial_force_input_port()
    for end, fx in ((0.6, 0.0), (0.7, 1600.0), (3.7, 0.0)):
        force.F_Bq_W = SpatialForce([0.0, 0.0, 0.0], [fx, 0.0, 0.0])
        port.FixValue(context, [force])
        simulator.AdvanceTo(end)
    assert set(forces_by_link(plant, simulator)) - {"ball"} == {"l_foot", "r_foot"}
    start = behavior.motion.q[0]
    assert example["pelvis_height"](world, simulator) > 0.95 * start[6]
    speed = plant.CalcCenterOfMassTranslationalVelocityInWorld(
        context, [world.instance]
    )
    assert np.linalg.norm(speed) < 0.05


def test_without_controllers_atlas_falls(
    example: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    built: Callable[[str], Behavior],
) -> None:
    """What keeps the robot up is what the example wires, not the world it makes."""
    run = example["run"]
    monkeypatch.setitem(run.__globals__, "add_controllers", lambda *_: None)
    monkeypatch.setitem(run.__globals__, "DURATION", 1.0)
    world, simulator = run(built("posture-tour"))
    assert set(forces_by_link(world.plant, simulator)) - {"l_foot", "r_foot", "ball"}
    assert example["pelvis_height"](world, simulator) < 0.5


def test_the_example_says_how_it_went(called: tuple[str, World, Simulator]) -> None:
    words = called[0].split()
    assert words[0] == "pelvis"
    assert float(words[1]) == pytest.approx(float(words[6]), abs=FOLLOWED)


@pytest.mark.slow
def test_the_example_runs_as_its_head_says(
    library_folder: Path, built: Callable[[str], Behavior]
) -> None:
    built("posture-tour")
    result = subprocess.run(
        [sys.executable, OWN_DIAGRAM, "--library", library_folder],
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stderr == ""
    assert result.stdout.startswith("pelvis")


def test_the_robot_may_be_ones_own(
    example: dict[str, Any], library_folder: Path
) -> None:
    """Its description lies beside its behavior, and neither in the package."""
    behavior = build(OWN_SQUAT, Library(library_folder))
    robot = behavior.robot_model
    assert robot.name == "own-atlas"
    assert robot.soles == ("left_shoe", "right_shoe")
    world, simulator = example["run"](behavior)
    planned = Reference(behavior).sample(example["DURATION"]).q[6]
    height = example["pelvis_height"](world, simulator)
    assert height == pytest.approx(planned, abs=FOLLOWED)
    assert planned < behavior.motion.q[0, 6] - 10 * FOLLOWED


@pytest.fixture(scope="module")
def own_loop() -> dict[str, Any]:
    """What `own_loop.py` defines."""
    return runpy.run_path(str(OWN_LOOP))


def test_a_plain_loop_follows_the_behavior_and_takes_a_push(
    own_loop: dict[str, Any], built: Callable[[str], Behavior]
) -> None:
    behavior = built("posture-tour")
    pushed, alone = (own_loop["run"](behavior, pushes=p) for p in (True, False))
    planned = Reference(behavior).sample(own_loop["DURATION"]).q
    # Two seconds after a push of 40 N s, which moved it, it is back or nearly so.
    for body, near in ((alone, FOLLOWED), (pushed, 2 * FOLLOWED)):
        assert np.abs(body.q[4:7] - planned[4:7]).max() < near
    away = np.array(pushed.path) - np.array(alone.path)
    assert away[:, 4].max() > 0.01


def test_an_engine_of_ones_own_runs_the_whole_loop(
    built: Callable[[str], Behavior],
) -> None:
    """A push moves the robot on its glued feet, and it comes back."""
    engine = runpy.run_path(str(OWN_ENGINE))
    behavior = built("posture-tour")
    run = engine["run"](behavior, duration=1.6)
    alone = engine["run"](behavior, duration=1.6, pushes=[])
    assert run.scenario.world.engine == "own"
    error = np.linalg.norm(run.x[:, 4:7] - alone.x[:, 4:7], axis=1)
    assert error.max() > 5e-3
    assert error[-1] < 0.7 * error.max()
    weight = alone.contact[alone.t > 0, :, 5].sum(1).mean()
    assert weight == pytest.approx(behavior.robot_model.weight, rel=0.05)


def test_a_cost_of_ones_own_does_what_it_says(
    built: Callable[[str], Behavior], library_folder: Path, tmp_path: Path
) -> None:
    example, behavior = runpy.run_path(str(OWN_COST)), built("stand")
    table = example["table"](behavior, (0.0, 1000.0), (20.0,))
    without, with_it = (table.iloc[i] for i in range(2))
    assert with_it["turning [m²/s]"] < 0.9 * without["turning [m²/s]"]
    assert without["its cost at 0.4 s"] == 0
    assert with_it["its cost at 0.4 s"] > 0
    tilts = table["tilt of the head [rad]"]
    assert tilts[1] < 0.97 * tilts[0]
    assert table["off its desired [rad/s²]"].notna().tolist() == [False, True]
    motions = example["motions"]("bow", (0.0, 100.0, 1000.0))
    plain, some, much = motions["tilt of the head [rad]"]
    assert much < 0.5 * some < 0.1 * plain
    assert motions["level head"].gt(0).tolist() == [False, True, True]
    page, said = tmp_path / "turning.png", io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said):
        patch.setitem(example["main"].__globals__, "table", lambda *_: table)
        patch.setitem(example["main"].__globals__, "motions", lambda *_: motions)
        told = ["--library", str(library_folder), "--output", str(page)]
        patch.setattr("sys.argv", [OWN_COST.name, *told])
        example["main"]()
    assert page.stat().st_size > 1000
    assert "turning [m²/s]" in said.getvalue()


def test_without_torques_the_robot_of_the_loop_sinks(
    own_loop: dict[str, Any], built: Callable[[str], Behavior]
) -> None:
    reference = Reference(built("posture-tour"))
    body = own_loop["OwnRobot"](reference)
    for _ in range(150):
        body.move(np.zeros(body.robot.num_joints), 0.002)
    assert body.q[6] < reference.table.q[0, 6] - 0.1


def test_the_plain_loop_needs_no_simulator(
    library_folder: Path, built: Callable[[str], Behavior]
) -> None:
    """As its head says; Drake's simulator is never imported."""
    built("posture-tour")
    script = (
        f"import runpy, sys; runpy.run_path({str(OWN_LOOP)!r}, run_name='__main__'); "
        "sys.exit('pydrake.systems.analysis' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, "--library", library_folder],
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stderr == ""
    counts, heights = result.stdout.splitlines()
    assert counts == "150 plans, 1500 ticks, 0 not solved"
    words = heights.split()
    assert float(words[1]) == pytest.approx(float(words[6]), abs=FOLLOWED)


def test_a_problem_of_ones_own_becomes_a_behavior(tmp_path: Path) -> None:
    """As its head says, from a folder of its own: solved, verified and stored."""
    result = subprocess.run(
        [sys.executable, OWN_PROBLEM],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stderr == ""
    assert result.stdout.startswith("solved after ")
    library = Library(tmp_path / "out" / "own")
    assert library.names() == ["squat-at-the-rail"]
    behavior = library.load("squat-at-the-rail")
    assert behavior.certificate.passed, behavior.certificate.failures()
    assert behavior.duration == pytest.approx(3.4)
    # It squats, and the rail carries what it may and no more.
    assert np.ptp(behavior.com[:, 2]) > 0.05
    palm = behavior.motion.contacts.index("l_palm")
    force = behavior.motion.wrench[:, palm, 5]
    assert 5.0 < force.max() < 101.0
