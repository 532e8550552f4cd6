"""Materials behave alike on all of Drake's contact models: bounce, creep, stiffness."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pydrake.geometry import Box, Role, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlantConfig
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.cones import BODY, FLOOR, SOLE, STICK_TIP
from backbeat.models.contact.restitution import (
    STEP,
    matched,
    restitution,
    struck_material,
)
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.scene import (
    DISCRETE_MODELS,
    ContactSettings,
    Scene,
    add_world,
)
from tests.tolerances import BOUNCE, CREEP, RESTITUTION, RESTITUTION_MATCH

STEPS = (1e-3, 5e-4)


def on_the_ground(material, mass, centers, radius, model, step, slope=0.0):
    """Simulator and plant of a body with spheres on flat ground, in tilted gravity."""
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(time_step=step, discrete_contact_approximation=model)
    plant, _ = AddMultibodyPlant(config, builder)
    inertia = SpatialInertia(mass, np.zeros(3), UnitInertia.SolidSphere(0.1))
    body = plant.AddRigidBody("body", inertia)
    shape = Sphere(radius)
    for i, center in enumerate(centers):
        X = RigidTransform(np.array(center, float))
        plant.RegisterCollisionGeometry(
            body, X, shape, str(i), material[0].properties()
        )
    X = RigidTransform([0.0, 0.0, -0.5])
    ground = Box(4.0, 4.0, 1.0)
    plant.RegisterCollisionGeometry(
        plant.world_body(), X, ground, "ground", material[1].properties()
    )
    gravity = 9.81 * np.array([np.sin(slope), 0.0, -np.cos(slope)])
    plant.mutable_gravity_field().set_gravity_vector(gravity)
    plant.Finalize()
    simulator = Simulator(builder.Build())
    context = simulator.get_mutable_context()
    return simulator, plant, plant.GetMyMutableContextFromRoot(context)


def drop(material, mass, speed, model, step):
    """Speed after a fall by speed before, over four phases of the time step."""
    bounces = []
    for phase in (0.0, 0.25, 0.5, 0.75):
        simulator, plant, context = on_the_ground(
            material, mass, [[0, 0, 0]], 0.007, model, step
        )
        height = 0.012 + phase * speed * step
        plant.SetPositions(context, [1, 0, 0, 0, 0, 0, height])
        plant.SetVelocities(context, [0, 0, 0, 0, 0, -speed])
        fastest = 0.0
        for k in range(1, round((0.005 / speed + 0.025) / step)):
            simulator.AdvanceTo(k * step)
            fastest = max(fastest, plant.GetVelocities(context)[5])
        bounces.append(fastest / speed)
    return float(np.mean(bounces))


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    "material", [(SOLE, FLOOR), (BODY, FLOOR)], ids=["sole", "body"]
)
@pytest.mark.parametrize(("mass", "speed"), [(3.0, 0.5), (3.0, 2.0), (40.0, 0.5)])
def test_nothing_bounces_off_the_floor(material, mass, speed, step):
    bounce = [drop(material, mass, speed, m, step) for m in DISCRETE_MODELS]
    assert max(bounce) < BOUNCE
    assert np.ptp(bounce) < RESTITUTION_MATCH


@pytest.mark.parametrize("model", DISCRETE_MODELS)
@pytest.mark.parametrize("name", sorted(DrumKit().members))
def test_a_dropped_tip_comes_back_as_the_kit_states(name, model):
    """The tip acts as 60 g: the stick and what of the hand it feels."""
    member = DrumKit().member(name)
    head = struck_material(member.stiffness, member.restitution)
    found = drop((STICK_TIP, head), 0.06, 1.2, model, STEP)
    assert found == pytest.approx(member.restitution, abs=RESTITUTION)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("speed", [0.7, 1.8])
def test_a_stick_tip_bounces_alike_on_every_contact_model(speed, step):
    """Also at other speeds and steps than those that materials are matched at."""
    head = struck_material(1e5, 0.36)
    bounce = [drop((STICK_TIP, head), 0.06, speed, m, step) for m in DISCRETE_MODELS]
    assert min(bounce) > 0.25
    assert max(bounce) < 0.6
    assert np.ptp(bounce) < RESTITUTION_MATCH


@given(st.floats(1e4, 6e4), st.floats(0.1, 0.36))
@settings(max_examples=20)
def test_dissipation_is_what_gives_back_the_stated_share(stiffness, share):
    dissipation, relaxation_time = matched(stiffness, share)
    assert dissipation > 0
    assert relaxation_time > 0
    assert restitution(stiffness, dissipation) == pytest.approx(share, abs=1e-6)
    found = restitution(stiffness, 0.0, relaxation_time)
    assert found == pytest.approx(share, abs=1e-6)


def test_more_dissipation_gives_back_less():
    shares = [restitution(5e4, d) for d in (0.0, 0.5, 2.0, 8.0)]
    assert shares == sorted(shares, reverse=True)
    shares = [restitution(5e4, 0.0, t) for t in (0.0, 2e-4, 1e-3, 4e-3)]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("share", [0.9, 0.0, -0.1, float("nan")])
def test_a_restitution_that_a_simulation_cannot_give_is_refused(share):
    with pytest.raises(BackbeatError, match="is not to be had"):
        struck_material(1e5, share)


@pytest.mark.parametrize("model", DISCRETE_MODELS)
def test_a_heavy_body_stays_where_it_stands(model):
    """175 kg on a slope of five degrees: hardly creeps, sinks in as stiffness says."""
    corners = [[x, y, -0.19] for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    simulator, plant, context = on_the_ground(
        (SOLE, FLOOR), 175.0, corners, 0.01, model, 1e-3, np.radians(5.0)
    )
    plant.SetPositions(context, [1, 0, 0, 0, 0, 0, 0.2])
    simulator.AdvanceTo(0.5)
    start = plant.GetPositions(context)[4:]
    simulator.AdvanceTo(1.0)
    end = plant.GetPositions(context)[4:]
    assert np.linalg.norm(end - start) / 0.5 < CREEP
    # Two surfaces in series on four corners.
    sunk = 175.0 * 9.81 * np.cos(np.radians(5.0)) / (4 * SOLE.stiffness / 2)
    assert end[2] == pytest.approx(0.2 - sunk, abs=0.02 * sunk)


def test_every_surface_of_a_world_has_both_dissipations():
    """No shape of robot, sticks, kit or ground depends on the contact model."""
    builder = DiagramBuilder()
    robot = RobotModel("atlas", ("sticks",))
    world = add_world(
        builder,
        robot,
        contact=ContactSettings(friction=0.6),
        scene=Scene("drum-kit"),
    )
    inspector = world.scene_graph.model_inspector()
    found = {}
    for geometry in inspector.GetAllGeometryIds(Role.kProximity):
        properties = inspector.GetProximityProperties(geometry)
        body = world.plant.GetBodyFromFrameId(inspector.GetFrameId(geometry))
        assert properties.GetProperty("material", "relaxation_time") > 0
        assert properties.GetProperty("material", "hunt_crossley_dissipation") > 0
        assert properties.GetProperty("material", "point_contact_stiffness") > 0
        friction = properties.GetProperty("material", "coulomb_friction")
        found.setdefault(body.name(), set()).add(friction.static_friction())
        assert friction.static_friction() == friction.dynamic_friction()
    assert found["l_foot"] == found["r_foot"] == {0.6}
    assert found["world"] == {0.6}
    assert found["pelvis"] == {BODY.friction}
    assert found["snare"] == found["ride"] == found["stick"] == {STICK_TIP.friction}


def test_a_world_has_the_state_and_actuators_of_its_robot():
    """The selected plant state is the model's [q, v], and names lead to actuators."""
    robot = RobotModel(
        "atlas", ("sticks",), RigidTransform([0, 0, 0.65]), {"neck_ay": 0}
    )
    world = add_world(DiagramBuilder(), robot, scene=Scene("drum-kit"))
    plant = world.plant
    context = plant.CreateDefaultContext()
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=robot.num_joints), rng.normal(size=robot.num_joints)
    for i, name in enumerate(robot.joint_names):
        plant.GetJointByName(name).set_angle(context, q[i])
        plant.GetJointByName(name).set_angular_rate(context, v[i])
    state = world.state_selection() @ plant.GetPositionsAndVelocities(context)
    assert_allclose(state, np.r_[q, v], rtol=0, atol=0)
    assert sorted(world.actuator_joints()) == sorted([*robot.joint_names, "neck_ay"])


def test_unknown_scenes_and_contact_models_are_named():
    robot = RobotModel()
    with pytest.raises(BackbeatError, match="did you mean similar"):
        add_world(DiagramBuilder(), robot, contact=ContactSettings("simlar"))
    with pytest.raises(BackbeatError, match="did you mean drum-kit"):
        add_world(DiagramBuilder(), robot, scene=Scene("drum"))
