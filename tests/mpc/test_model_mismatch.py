"""The world that differs from the plan, looked up in the plant that was built."""

from dataclasses import replace

import numpy as np
import pytest
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import CalcContactFrictionFromSurfaceProperties
from pydrake.multibody.tree import MultibodyForces

from backbeat.models.actuation.joint_command import BLOCKS, EFFORT, FEEDFORWARD
from backbeat.models.common.errors import BackbeatError
from backbeat.models.world.ground import plane_height
from backbeat.mpc.disturbances.draws import Stream, either_way, random_stream
from backbeat.mpc.disturbances.kinds.moved_drum import MovedDrum
from backbeat.mpc.disturbances.kinds.uneven_ground import find_footholds
from backbeat.mpc.disturbances.model_mismatch import draw_world, model_mismatch
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.diagram import build_closed_loop
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.world.start_posture import stand_on
from tests.behaviors.drake_robot import DrakeRobot
from tests.tolerances import EXACT, REACHED


def scenario(behavior, seed=0, **error):
    return Scenario.of(behavior=behavior.name, seed=seed, world=model_mismatch(**error))


def loop_of(behavior, seed=0, **error):
    return build_closed_loop(behavior, scenario(behavior, seed, **error))


def test_what_is_drawn_stays_within_and_a_zero_may_have_a_sign():
    random = random_stream(3, Stream.MASS)
    drawn = np.array([either_way(random, 0.1) for _ in range(200)])
    assert (np.abs(drawn) <= 0.1).all()
    assert drawn.min() < -0.09
    assert drawn.max() > 0.09
    assert either_way(random, 0.0) == either_way(random, -0.0) == 0.0


def masses(loop):
    """Mass of every link in the context of a loop [kg], by name."""
    plant = loop.world.plant
    context = plant.GetMyContextFromRoot(loop.make_context())
    links = plant.GetBodyIndices(loop.world.instance)
    bodies = [plant.get_body(i) for i in links]
    return {b.name(): b.get_mass(context) for b in bodies}


def gravity_torques(loop):
    plant = loop.world.plant
    context = plant.GetMyContextFromRoot(loop.make_context())
    return plant.CalcGravityGeneralizedForces(context)


def inverse_dynamics(loop, vdot):
    plant = loop.world.plant
    context = plant.GetMyContextFromRoot(loop.make_context())
    return plant.CalcInverseDynamics(context, vdot, MultibodyForces(plant))


def ground_shapes(loop):
    """Name, shape and pose of every piece of ground."""
    plant, inspector = loop.world.plant, loop.world.scene_graph.model_inspector()
    ids = plant.GetCollisionGeometriesForBody(plant.world_body())
    named = {inspector.GetName(i).rpartition("::")[2]: i for i in ids}
    return {
        name: (inspector.GetShape(i), inspector.GetPoseInFrame(i), i)
        for name, i in named.items()
        if name.startswith("ground")
    }


def tops(loop):
    """Frame of the top of every block of ground."""
    found = []
    for name, (shape, X_WG, _) in ground_shapes(loop).items():
        if name != "ground":
            found.append(X_WG @ RigidTransform([0, 0, 0.5 * shape.height()]))
    return found


@pytest.fixture(scope="module")
def stand(built):
    return built("stand")


@pytest.fixture(scope="module")
def walk(built):
    return built("walk-2")


@pytest.fixture(scope="module")
def plain(stand):
    return loop_of(stand)


# --- masses --------------------------------------------------------------------------


def test_a_heavier_robot_weighs_and_resists_more_by_the_same_factor(stand, plain):
    heavy = loop_of(stand, mass_scale=1.2)
    for name, mass in masses(plain).items():
        assert masses(heavy)[name] == pytest.approx(1.2 * mass, rel=EXACT)
    before, after = gravity_torques(plain), gravity_torques(heavy)
    assert np.abs(before).max() > 1000
    np.testing.assert_allclose(after, 1.2 * before, rtol=1e-9, atol=1e-9)
    vdot = np.random.default_rng(0).normal(size=plain.world.plant.num_velocities())
    before, after = inverse_dynamics(plain, vdot), inverse_dynamics(heavy, vdot)
    np.testing.assert_allclose(after, 1.2 * before, rtol=1e-9, atol=1e-9)


def test_the_controllers_do_not_know(stand):
    heavy = loop_of(stand, mass_scale=1.2)
    known = stand.robot_model.total_mass
    assert sum(masses(heavy).values()) == pytest.approx(1.2 * known, rel=1e-6)
    assert heavy.reference.robot.total_mass == known
    assert heavy.predictive.core.reference.robot is heavy.whole_body.robot


def test_each_mass_is_drawn_for_itself_and_from_the_seed_alone(stand, plain):
    first, again, other = (
        masses(loop_of(stand, seed, mass_spread=0.2)) for seed in (3, 3, 4)
    )
    nominal = masses(plain)
    shares = np.array([first[n] / nominal[n] for n in nominal if nominal[n] > 0])
    assert first == again
    assert first != other
    assert len(set(shares)) == len(shares) >= 25
    assert (np.abs(shares - 1) <= 0.2).all()
    assert np.abs(shares - 1).max() > 0.15
    assert shares.min() < 0.95 < 1.05 < shares.max()


def centered(loop):
    """Mass, center of mass and inertia about it of every link that has mass."""
    plant = loop.world.plant
    context = plant.GetMyContextFromRoot(loop.make_context())
    found = {}
    for body in map(plant.get_body, plant.GetBodyIndices(loop.world.instance)):
        M = body.CalcSpatialInertiaInBodyFrame(context)
        if M.get_mass() > 0:
            I = M.Shift(M.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
            found[body.name()] = M.get_mass(), M.get_com(), I
    return found


def test_inertias_change_and_masses_do_not(stand, plain):
    heavier = centered(loop_of(stand, inertia_scale=1.3))
    for name, (m, p, I) in centered(plain).items():
        assert heavier[name][0] == m
        assert heavier[name][1] == pytest.approx(p, abs=1e-15)
        np.testing.assert_allclose(heavier[name][2], 1.3 * I, atol=1e-9 * m)


def test_centers_of_mass_are_off_as_far_as_asked_each_its_own_way(stand, plain):
    off = centered(loop_of(stand, com_shift=0.01))
    ways = []
    for name, (m, p, I) in centered(plain).items():
        ways.append(off[name][1] - p)
        assert off[name][0] == m
        np.testing.assert_allclose(off[name][2], I, atol=1e-9 * m)
    assert np.linalg.norm(ways, axis=1) == pytest.approx(0.01)
    assert np.abs(np.mean(ways, axis=0)).max() < 0.005


def test_damping_brakes_as_much_as_asked(stand, plain):
    """In motion, joints lose speed by it, and by nothing else that changed."""
    forces = []
    for loop in (plain, loop_of(stand, damping_scale=10.0)):
        plant = loop.world.plant
        context = plant.GetMyContextFromRoot(loop.make_context())
        plant.SetVelocities(context, np.full(plant.num_velocities(), 0.1))
        generalized = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, generalized)
        forces.append(generalized.generalized_forces())
    robot = stand.robot_model
    joints = [plant.GetJointByName(n).velocity_start() for n in robot.joint_names]
    assert (robot.damping > 0).all()
    np.testing.assert_allclose(
        (forces[1] - forces[0])[joints], -9 * 0.1 * robot.damping, atol=1e-12
    )


# --- ground --------------------------------------------------------------------------


def test_the_ground_is_flat_unless_asked(stand, plain):
    ((shape, X_WG, _),) = ground_shapes(plain).values()
    top = X_WG.translation()[2] + 0.5 * shape.height()
    assert top == 0.0
    assert X_WG.rotation().IsExactlyIdentity()
    np.testing.assert_array_equal(plain.q_start, plain.reference.table.q[0])


def test_every_foothold_gets_a_block_of_its_own(walk):
    reference = Reference(walk)
    footholds = find_footholds(reference)
    # Two soles at the start, and each where it steps.
    assert [f.contact for f in footholds].count("l_foot") >= 2
    assert sum(f.is_start for f in footholds) == 2
    loop = loop_of(walk, step_height=0.03)
    for foothold, top in zip(footholds, tops(loop), strict=True):
        # What would be under a sole of the start is cut off.
        planned = foothold.X_WC.translation()
        off = np.linalg.norm(top.translation()[:2] - planned[:2])
        assert off < (0.1 if 0.05 < planned[0] < 0.3 else 1e-9)
        assert top.rotation().matrix()[2, 2] == pytest.approx(1.0, abs=EXACT)
    rises = [t.translation()[2] for t in tops(loop)]
    assert len(set(rises)) == len(rises)
    assert max(map(abs, rises)) <= 0.03
    assert max(rises) - min(rises) > 0.01
    # What lies between the blocks is below all of them.
    shape, X_WG, _ = ground_shapes(loop)["ground"]
    assert X_WG.translation()[2] + 0.5 * shape.height() < min(rises)


def drawn(reference, seed, **error):
    """The world of a run with this error."""
    return draw_world(model_mismatch(**error), 0.8, seed, reference)


@pytest.mark.parametrize("seed", range(6))
def test_nobody_starts_inside_the_ground_of_a_step_to_come(walk, seed):
    """The first step is shorter than a sole, and its block may be the higher one."""
    reference = Reference(walk)
    real = drawn(reference, seed, step_height=0.03)
    footholds = find_footholds(reference)
    for block in real.ground.blocks:
        assert min(block.length, block.width) > 0.1
    for foothold in (f for f in footholds if f.is_start):
        corners = reference.robot.contacts[foothold.contact].corners()
        sole = foothold.X_WC.multiply(corners.T)
        under = []
        for block in real.ground.blocks:
            x, y, _ = np.abs(block.X_WT.inverse().multiply(sole))
            inside = (x < 0.5 * block.length) & (y < 0.5 * block.width)
            under.append(int(inside.sum()))
        assert sorted(under) == [0] * (len(under) - 1) + [4]


def test_heights_are_spread_over_the_whole_range(walk):
    reference = Reference(walk)
    rises = []
    for seed in range(60):
        blocks = drawn(reference, seed, step_height=0.03)
        rises += [b.X_WT.translation()[2] for b in blocks.ground.blocks]
    assert max(map(abs, rises)) <= 0.03
    assert min(rises) < -0.028 < 0.028 < max(rises)
    assert abs(np.mean(rises)) < 0.004


def test_tilts_have_their_size_and_any_direction(walk):
    reference = Reference(walk)
    directions = []
    for seed in range(20):
        real = drawn(reference, seed, tilt_deg=5.0)
        for block in real.ground.blocks:
            normal = block.X_WT.rotation().matrix()[:, 2]
            assert np.degrees(np.arccos(normal[2])) == pytest.approx(5.0)
            directions.append(np.arctan2(normal[1], normal[0]))
    assert set(np.floor(np.array(directions) / (np.pi / 4))) == set(range(-4, 4))


def test_a_slope_goes_through_the_place_of_the_start(stand):
    loop = loop_of(stand, slope_deg=5.0)
    shape, X_WG, _ = ground_shapes(loop)["ground"]
    top = X_WG @ RigidTransform([0, 0, 0.5 * shape.height()])
    assert np.degrees(np.arccos(top.rotation().matrix()[2, 2])) == pytest.approx(5.0)
    middle = loop.reference.table.p_contact[0].mean(axis=0)
    assert plane_height(top, middle[0], middle[1]) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "error", [{"step_height": 0.03}, {"tilt_deg": 5.0}, {"slope_deg": 5.0}]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_robot_starts_with_its_soles_on_the_ground_as_it_is(stand, seed, error):
    """Corners of the soles by Drake, on tops of the blocks or on the slope."""
    loop = loop_of(stand, seed, **error)
    robot = DrakeRobot(loop.reference.robot)
    robot.set(loop.q_start, np.zeros(36))
    planes = tops(loop)
    if not planes:
        shape, X_WG, _ = ground_shapes(loop)["ground"]
        planes = [X_WG @ RigidTransform([0, 0, 0.5 * shape.height()])] * 2
    for name, plane in zip(("l_foot", "r_foot"), planes, strict=True):
        corners = loop.reference.robot.contacts[name].corners().T
        below = plane.inverse().multiply(robot.pose(name).multiply(corners))
        np.testing.assert_allclose(below[2], 0.0, atol=3 * REACHED)
    planned = loop.reference.table
    moved = np.abs(loop.q_start - planned.q[0])
    assert moved[7:].max() > 0.01
    com = robot.plant.CalcCenterOfMassPositionInWorld(robot.context)
    np.testing.assert_allclose(com[:2], planned.com[0, 0, :2], atol=0.01)


def test_ground_that_legs_do_not_reach_is_a_sentence(plain):
    table = plain.reference.table
    left, right = (
        RigidTransform(RotationMatrix(table.R_contact[0, c]), table.p_contact[0, c])
        for c in range(2)
    )
    higher = RigidTransform([0.0, 0.0, 1.2]) @ left
    with pytest.raises(BackbeatError, match="cannot start on this ground"):
        stand_on(plain.reference, {"l_foot": higher, "r_foot": right})


def friction_of(loop, geometry):
    """Combined friction of a sole and a piece of ground, as Drake combines it."""
    plant, inspector = loop.world.plant, loop.world.scene_graph.model_inspector()
    sole = plant.GetCollisionGeometriesForBody(plant.GetBodyByName("l_foot"))[0]
    pair = [
        inspector.GetProximityProperties(g).GetProperty("material", "coulomb_friction")
        for g in (sole, geometry)
    ]
    return CalcContactFrictionFromSurfaceProperties(*pair).static_friction()


def test_soles_find_the_friction_that_was_asked_for(walk):
    found = []
    for seed in range(4):
        loop = loop_of(walk, seed, patch_friction=[0.2, 0.3])
        for name, (_, _, geometry) in ground_shapes(loop).items():
            mu = friction_of(loop, geometry)
            if name == "ground":
                assert mu == pytest.approx(0.8)
            else:
                found.append(mu)
                assert 0.2 <= mu <= 0.3
    assert max(found) - min(found) > 0.05
    assert all(t.translation()[2] == pytest.approx(0, abs=1e-9) for t in tops(loop))


def test_a_share_of_the_footholds_is_slippery(walk):
    reference, slippery, number = Reference(walk), 0, 0
    for seed in range(100):
        real = drawn(reference, seed, patch_friction=[0.2, 0.3], patch_share=0.4)
        blocks = real.ground.blocks
        slippery += sum(b.friction is not None for b in blocks)
        number += len(blocks)
    assert 0.3 < slippery / number < 0.5


def test_no_ground_gives_more_than_the_soles_can(stand):
    with pytest.raises(BackbeatError, match="no ground gives"):
        loop_of(stand, patch_friction=[0.2, 1.6])


def test_one_error_leaves_the_others_as_they_were(walk):
    reference = Reference(walk)
    alone = drawn(reference, 5, step_height=0.03)
    both = drawn(
        reference, 5, step_height=0.03, patch_friction=[0.2, 0.3], tilt_deg=1.0
    )
    blocks = alone.ground.blocks, both.ground.blocks
    for foothold, a, b in zip(find_footholds(reference), *blocks, strict=True):
        x, y, _ = foothold.X_WC.translation()
        height = plane_height(a.X_WT, x, y)
        assert plane_height(b.X_WT, x, y) == pytest.approx(height, abs=EXACT)


# --- drums, joints -------------------------------------------------------------------


def test_one_drum_stands_elsewhere(built):
    drummer = built("outstanding")
    loop = loop_of(drummer, drum_shift=0.02)
    plant = loop.world.plant
    context = plant.GetMyContextFromRoot(loop.make_context())
    kit = drummer.scene.drum_kit()
    error = loop.scenario.world.mismatch.part(MovedDrum)
    real = drummer.scene.drum_kit(error.moved(loop.scenario.seed, drummer))
    shifts = []
    for name in kit.members:
        X_WM = plant.GetBodyByName(name).EvalPoseInWorld(context)
        assert X_WM.IsNearlyEqualTo(real.strike_pose(name), EXACT)
        shift = X_WM.translation() - kit.strike_pose(name).translation()
        shifts += [shift] if shift.any() else []
    (shift,) = shifts
    assert np.linalg.norm(shift) == pytest.approx(0.02)
    assert shift[2] == 0


def test_it_is_one_of_those_that_are_played(built):
    drummer = built("outstanding")
    played = {e.what for e in drummer.strikes()}
    error = MovedDrum(drum_shift=0.02)
    moved = {name for seed in range(30) for name in error.moved(seed, drummer)}
    assert moved == played
    assert len(played) >= 3
    assert MovedDrum().moved(0, drummer) == {}


def test_a_drum_can_be_named(built):
    drummer = built("outstanding")
    error = MovedDrum(drum_shift=0.02, drum="ride")
    assert list(error.moved(0, drummer)) == ["ride"]
    with pytest.raises(BackbeatError, match="unknown drum 'rid'"):
        MovedDrum(drum_shift=0.02, drum="rid").moved(0, drummer)


@pytest.mark.parametrize("joint", ["l_leg_kny", "r_leg", "any"])
def test_one_joint_gives_less(stand, joint):
    loop = loop_of(stand, weak_joint=joint, weak_share=0.6)
    robot = loop.reference.robot
    diagram, root = loop.diagram, loop.make_context()
    servo = diagram.GetSubsystemByName("joint_servo")
    context = servo.GetMyContextFromRoot(root)
    most = np.zeros((BLOCKS, robot.num_joints))
    most[EFFORT], most[FEEDFORWARD] = 1e4, 1.0
    servo.GetInputPort("command").FixValue(context, most.ravel())
    share = servo.GetOutputPort("joint_effort").Eval(context) / robot.effort_limits
    ((weak, value),) = [(j, s) for j, s in enumerate(share) if s != 1.0]
    assert value == pytest.approx(0.6)
    allowed = {"l_leg_kny": ["l_leg_kny"], "r_leg": ["r_leg"]}.get(joint)
    if allowed:
        assert weak in robot.joint_indices(allowed)
    actuation = servo.GetOutputPort("actuation").Eval(context)
    k = loop.world.actuator_joints().index(robot.joint_names[weak])
    # The controllers count on all of it.
    assert actuation[k] == pytest.approx(0.6 * robot.effort_limits[weak])


def test_an_unknown_joint_is_a_sentence(stand):
    with pytest.raises(BackbeatError, match="unknown joint 'l_knee'"):
        loop_of(stand, weak_joint="l_knee")


# --- settings ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        ({"step_height": -0.01}, "world.step_height is -0.01"),
        ({"patch_friction": [0.3]}, "lowest and the highest"),
        ({"patch_friction": [0.3, 0.2]}, "lowest and the highest"),
    ],
)
def test_a_mistake_is_one_sentence(error, sentence):
    with pytest.raises(BackbeatError, match=sentence) as caught:
        Scenario.of(behavior="stand", world=model_mismatch(**error)).check()
    assert "\n" not in str(caught.value)


# --- in closed loop ------------------------------------------------------------------


def test_the_same_seed_is_the_same_run_and_another_is_not(stand):
    setting = scenario(stand, 7, step_height=0.02, mass_spread=0.2, plan_loss=0.3)
    setting = setting.changed(lead_in=0.2, duration=0.3)
    runs = [run_scenario(replace(setting, seed=s), stand) for s in (7, 7, 8)]
    np.testing.assert_array_equal(runs[0].x, runs[1].x)
    np.testing.assert_array_equal(runs[0].effort, runs[1].effort)
    assert np.abs(runs[0].x - runs[2].x).max() > 1e-3


def test_the_ground_carries_what_the_robot_really_weighs(stand):
    setting = scenario(stand, mass_scale=1.2).changed(lead_in=0.5, duration=1.0)
    run = run_scenario(setting, stand)
    force = run.contact[run.t > 0.5, :, 5].sum(axis=1).mean()
    assert force == pytest.approx(1.2 * stand.robot_model.weight, rel=0.01)
    assert not run.fell


def test_a_robot_learns_what_it_weighs(stand):
    """A tenth lighter than its model, it stands as high as planned after a while."""
    light = model_mismatch(mass_scale=0.9)
    settings = Scenario.of(behavior="stand", duration=4.0, lead_in=0.3, world=light)
    run = run_scenario(settings, stand)
    first, last = run.plans[0], run.plans[-1]
    assert first.external_force_z == 0.0
    assert last.external_force_z == pytest.approx(0.1, abs=0.015)
    risen = [p.deviation[0, 2] for p in run.plans]
    assert max(risen) > 2e-3
    assert abs(risen[-1]) < 1e-3
