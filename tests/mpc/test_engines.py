"""Closed loops whose robot another engine moves."""

import builtins

import numpy as np
import pytest
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.common.errors import BackbeatError
from backbeat.models.mjcf.package import load_mujoco
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import Scene, add_world
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.engines.behavior_engine import mujoco_for
from backbeat.mpc.engines.drake_engine import DrakeEngine
from backbeat.mpc.engines.engine_setup import set_up_engine
from backbeat.mpc.engines.mjcf_folder import write_scene
from backbeat.mpc.engines.mujoco_engine import MujocoEngine
from backbeat.mpc.runs.file import load_run, save_run
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.running_loop import RunningLoop
from backbeat.mpc.simulation.simulate import run_scenario

BRIEF = {"behavior": "stand", "lead_in": 0.2, "lead_out": 0.0, "duration": 0.3}


def test_drakes_plant_as_an_engine_is_drakes_plant(built):
    """The interface changes no bit: pushes, contact and state go through it."""
    how = BRIEF | {"pushes": [Push(0.05, 0.1, [20.0, 10.0, 0.0])]}
    inside = run_scenario(Scenario.of(**how), built("stand"))
    handed = run_scenario(
        Scenario.of(**how, engine="own"), built("stand"), engine=DrakeEngine
    )
    for name in ("x", "effort", "contact", "push"):
        assert np.array_equal(getattr(inside, name), getattr(handed, name)), name


@pytest.fixture(scope="module")
def mujoco():
    return pytest.importorskip("mujoco", reason="the extra mujoco is not installed")


@pytest.fixture(scope="module")
def pushed(mujoco, built):
    """Standing on sensors with delay and noise, motors that lag, other masses."""
    scenario = Scenario.of(
        behavior="stand",
        engine="mujoco",
        duration=1.2,
        lead_out=0.0,
        state="estimated",
        actuator_lag=0.005,
        pushes=[Push(0.3, 0.1, [25.0, 15.0, 0.0])],
        world=model_mismatch(mass_scale=1.1, com_shift=0.01),
    )
    return scenario, run_scenario(scenario, built("stand"))


def test_a_push_is_survived_on_sensors(pushed):
    _, run = pushed
    metrics = run_metrics(run)
    assert not run.fell
    assert metrics["tick_failures"] == metrics["plan_failures"] == 0
    assert 1.0 < metrics["com_error_mm"]["max"] < 60.0


def test_momentum_is_what_forces_give(pushed):
    """Impulse of contact, push and weight is the change of linear momentum."""
    _, run = pushed
    robot, first = run.behavior.robot_model, run.t >= 0.0

    def momentum(x):
        nq = robot.num_positions
        state = Configuration(robot, x[:nq], x[nq:])
        return 1.1 * (state.mass_matrix @ state.v)[3:6]

    t, x = run.t[first], run.x[first]
    force = run.contact[first][:, :, 3:].sum(1) + run.push[first]
    force[:, 2] -= 1.1 * robot.weight
    impulse = np.trapezoid(force, t, axis=0)
    change = momentum(x[-1]) - momentum(x[0])
    # Samples are five steps apart, and a push begins and ends between them.
    assert np.abs(impulse - change).max() <= 3.0


def test_runs_repeat_bit_for_bit_and_say_their_engine(pushed, built, tmp_path):
    scenario, run = pushed
    again = run_scenario(scenario, built("stand"))
    for name in ("x", "sensed", "effort", "contact"):
        assert np.array_equal(getattr(run, name), getattr(again, name)), name
    path = save_run(run, tmp_path / "stand.run.parquet", run_metrics(run))
    _, story = load_run(path)
    assert story["scenario"]["engine"] == "mujoco"


def test_friction_changes_where_an_event_says_so(mujoco, built):
    """On ice a robot that leans against a push slides."""
    how = BRIEF | {"engine": "mujoco", "duration": 0.6}
    push = [Push(0.2, 0.3, [40.0, 0.0, 0.0])]
    slips = [
        run_metrics(
            run_scenario(Scenario.of(**how, pushes=push, events=events), built("stand"))
        )["foot_slip_mm"]
        for events in ([], [SettingEvent(0.1, friction=0.05)])
    ]
    assert slips[0] < 2.0 < slips[1]


def test_what_joints_feel_is_less_by_their_friction(mujoco, built):
    """Never more than there is, against the velocity, and all of it in motion."""
    scenario = Scenario.of(**BRIEF, engine="mujoco", joint_friction=0.03)
    with RunningLoop(built("stand"), scenario, by_hand=False) as running:
        running.advance(0.2)
        moving = running.loop.body.moving
        engine, robot = moving.engine, moving.engine.robot
        now = moving.moment(moving.GetMyContextFromRoot(running.context))
    random, most = np.random.default_rng(0), 0.03 * robot.effort_limits
    moved = 0
    for _ in range(20):
        effort = 0.3 * robot.effort_limits * random.uniform(-1, 1, robot.num_joints)
        before = now.v[robot.base_velocities :]
        now = engine.step(now, effort)
        rubs, rate = now.effort - effort, now.v[robot.base_velocities :]
        assert (np.abs(rubs) <= most * (1.0 + 1e-9)).all()
        on = (np.abs(rate) > 0.3) & (before * rate > 0.0)
        assert np.allclose(rubs[on], -(most * np.sign(rate))[on], rtol=0.05)
        moved += int(on.sum())
    assert moved > 50


def test_all_hits_are_heard(mujoco, built):
    """Sticks strike heads, and what the log says of it is music."""
    scenario = Scenario.of(
        behavior="outstanding-standing", engine="mujoco", duration=6.0
    )
    run = run_scenario(scenario, built("outstanding-standing"))
    hits = run_metrics(run)["hits"]
    assert hits["missed"] == hits["extra"] == 0
    assert hits["made"] >= 3


@pytest.mark.parametrize("contact", ["firm", "soft"])
def test_steps_are_taken(mujoco, built, contact):
    scenario = Scenario.of(behavior="walk-2", engine="mujoco", mujoco_contact=contact)
    run = run_scenario(scenario, built("walk-2"))
    metrics = run_metrics(run)
    assert not run.fell
    assert metrics["com_error_mm"]["rms"] <= 8.0
    # With the time constant of the contact for friction too, soft soles slide by 1.3.
    assert metrics["foot_slip_mm"] <= 0.6


def go_on(engine, now, effort):
    """A twentieth of a second under constant efforts."""
    for _ in range(50):
        now = engine.step(now, np.full(engine.robot.num_joints, effort))


@pytest.mark.parametrize(("speed", "effort"), [(9e5, 0.0), (1e12, 0.0), (0.0, np.nan)])
def test_what_is_unstable_ends_with_a_sentence_and_writes_nothing(
    mujoco, tmp_path, monkeypatch, capfd, speed, effort
):
    """MuJoCo itself would write a file, and go on from its first configuration."""
    monkeypatch.chdir(tmp_path)
    robot, builder = RobotModel("atlas"), DiagramBuilder()
    world = add_world(builder, robot)
    engine = MujocoEngine(set_up_engine(builder, world, Scene()))
    v = np.zeros(robot.num_velocities)
    v[-1] = speed
    now = engine.reset(robot.posture("stand"), v)
    with pytest.raises(RuntimeError, match="have left all bounds; a shorter"):
        go_on(engine, now, effort)
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")
    # The engine goes on from any moment as before.
    v[:] = 0.0
    now = engine.reset(robot.posture("stand"), v)
    assert engine.step(now, v[6:]).v[5] == pytest.approx(0.0, abs=0.01)


def test_a_run_that_leaves_all_bounds_falls(mujoco, built, tmp_path, monkeypatch):
    """As with Drake, whose solver gives up there."""
    monkeypatch.chdir(tmp_path)
    push = [Push(0.05, 0.01, [1e4, 0.0, 0.0], "l_hand")]
    run = run_scenario(
        Scenario.of(**BRIEF, engine="mujoco", pushes=push), built("stand")
    )
    assert run.fell
    assert np.isfinite(run.x).all()
    assert not list(tmp_path.iterdir())


def test_a_folder_for_mujoco_loads_by_itself(mujoco, built, tmp_path):
    """The file has the robot's mass, and keyframes in which its soles stand."""
    behavior = built("walk-2")
    path, hulls = write_scene(behavior, tmp_path / "away")
    assert not hulls
    model = mujoco.MjModel.from_xml_path(str(path))
    assert model.body_mass.sum() == pytest.approx(behavior.robot_model.total_mass, 1e-5)
    assert model.nu == behavior.robot_model.num_joints
    # What is seen weighs nothing and touches nothing; what collides is as simulated.
    simulated = mujoco_for(behavior).made.model
    for name in ("body_mass", "body_inertia", "body_ipos", "dof_damping", "jnt_range"):
        wanted = getattr(simulated, name)
        assert np.allclose(getattr(model, name), wanted, rtol=1e-5, atol=1e-7), name
    seen = model.geom_group == 2
    assert seen.sum() >= 40
    assert not model.geom_contype[seen].any()
    assert not model.geom_conaffinity[seen].any()
    assert (~seen).sum() == simulated.ngeom
    drawn = model.geom_type[seen] == mujoco.mjtGeom.mjGEOM_MESH
    assert drawn.any()
    assert sum(p.stat().st_size for p in path.parent.glob("meshes/*")) < 2e6
    data = mujoco.MjData(model)
    assert model.nkey == int(behavior.motion.t[-1] / 0.5) + 1
    mujoco.mj_resetDataKeyframe(model, data, 0)
    assert np.allclose(data.qpos[:3], behavior.motion.q[0, 4:7], atol=1e-5)
    mujoco.mj_fwdPosition(model, data)
    assert data.ncon >= 4


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"engine": "mujco"}, "did you mean mujoco"),
        ({"engine": "mujoco", "contact_model": "sap"}, "contact_model sap is Drake's"),
        ({"engine": "mujoco", "feet": "hydroelastic"}, "feet hydroelastic is Drake's"),
        ({"mujoco_contact": "soft"}, "choose engine: mujoco"),
    ],
)
def test_what_an_engine_does_not_have_is_refused(values, said):
    with pytest.raises(BackbeatError, match=said):
        Scenario.of(behavior="stand", **values).check()


def test_an_engine_of_ones_own_is_handed_in(built):
    with pytest.raises(BackbeatError, match="none is given"):
        run_scenario(Scenario.of(**BRIEF, engine="own"), built("stand"))
    with pytest.raises(BackbeatError, match="write own"):
        run_scenario(Scenario.of(**BRIEF), built("stand"), engine=DrakeEngine)


def test_without_mujoco_one_sentence_says_how_to_get_it(monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name == "mujoco":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(BackbeatError, match="pip install 'mujoco-core"):
        load_mujoco()
