"""Hands after their targets in closed loop."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.systems.analysis import Simulator

from backbeat.behaviors.library.store import Library
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.sensing.sensors import SensorNoise
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.hand_error import at_limits, error_figures, hand_errors
from backbeat.mpc.analysis.hand_studies import of_task, sampled
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.analysis.run_explanation import explain_run
from backbeat.mpc.control.task_space_setup import task_space_behavior, task_space_robot
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.estimation.state_sampler import StateSampler
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.runs.behavior import behavior_of_run
from backbeat.mpc.runs.file import load_run, run_settings, run_weights, save_run
from backbeat.mpc.runs.origin import other_origins
from backbeat.mpc.runs.replay import compare_samples
from backbeat.mpc.runs.table import run_frame
from backbeat.mpc.scenario.base_motion import BaseMotion
from backbeat.mpc.scenario.specification import load_scenario
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.simulate import run_scenario, run_task_space
from backbeat.mpc.task_space.law import TaskSpaceLaw, TaskSpaceSettings
from tests.tolerances import HIERARCHY, TASK_SPACE_RESPONSE

CIRCLE = TargetMotion(radius=0.2, frequency=0.5)
# Keys of scenarios; all others are of the task.
OF_SCENARIO = ("tick_period", "time_step", "contact_model", "world", "state")


def run(
    robot: str = "ur10",
    duration: float = 4.0,
    noise: tuple[float, float, float] | None = None,
    **changes: object,
) -> SimulationRun:
    """A run with errors of angles, rates and hand, and other values of its task."""
    own = {key: changes.pop(key) for key in OF_SCENARIO if key in changes}
    scenario = of_task(robot, duration, **changes).changed(**own)
    return run_task_space(sampled(scenario, *noise) if noise else scenario)


def places(found: SimulationRun) -> np.ndarray:
    """(M, 3) of the hand."""
    return hand_errors(found, Reference(found.behavior))[0]


def off(found: SimulationRun) -> np.ndarray:
    """(M,) distance of hand and target [m]."""
    return np.linalg.norm(places(found) - found.target, axis=1)


def rms(found: SimulationRun, after: float = 2.0) -> float:
    """Error after a time [mm]."""
    return error_figures(found, after)["error_rms_mm"]


def joints(found: SimulationRun) -> tuple[np.ndarray, np.ndarray]:
    """(M, nq) and (M, nv)."""
    q, v = np.split(found.x, [found.behavior.robot_model.num_positions], axis=1)
    return q, v


def test_joints_that_run_away_end_a_run():
    """The same stiffness for all joints, on shaky samples, shakes the wrists apart."""
    control = TaskSpaceSettings(stiffness=1e5, damping=-50.0)
    found = run(control=control, noise=(1e-3, 0.1, 0.0), duration=3.0)
    assert found.fell
    assert found.t[-1] < 2.9


def test_a_hand_follows_a_circle_within_a_millimeter():
    """r = 0.2 m at 0.5 Hz, 1 kHz, no noise."""
    found = run(target=CIRCLE, duration=2.6)
    assert rms(found, 0.6) <= 1.0
    # It has really gone round.
    assert np.ptp(places(found)[:, 1:], axis=0).min() > 0.39
    assert not at_limits(found).any()


@pytest.mark.parametrize("sensed", [False, True])
def test_a_step_is_answered_critically_damped(sensed):
    """The hand goes as (1 + w t) exp(-w t) says, sensed or modeled."""
    offset, w = [0.02, -0.03, 0.04], 15.0
    found = run(target=TargetMotion(offset=offset), hand_sensing=sensed, duration=0.6)
    hand = places(found)
    way = (hand - hand[0]) / np.array(offset)
    # Torques hold for a step of the plant and act half a step late.
    expected = 1.0 - (1.0 + w * found.t) * np.exp(-w * found.t)
    assert_allclose(way, np.tile(expected[:, None], 3), atol=TASK_SPACE_RESPONSE)


def test_the_posture_never_costs_the_hand_anything():
    """In the model: whatever the posture wants, the hand accelerates alike."""
    robot, rng = RobotModel("ur10"), np.random.default_rng(0)
    q, v = robot.posture("ready"), 0.1 * rng.normal(size=6)
    target = np.zeros((3, 3))
    target[0] = [0.8, 0.2, 0.3]
    hands = []
    for posture in (q, q + 0.2 * rng.normal(size=6)):
        law = TaskSpaceLaw(robot, "tool0", posture=posture)
        command = law(q, v, target)
        assert not command.at_limit.any()
        tau = command.tau
        law.space.update(q, v)
        found = law.space.outcome(tau, {})
        level = law.space.levels[2]
        hands.append(level.G @ found.vdot + level.bias)
    assert_allclose(hands[0], hands[1], atol=HIERARCHY)


@pytest.mark.parametrize("seed", range(3))
def test_an_arm_is_told_the_same_without_matrices(seed):
    """Operators and the dense levels of a task space come to the same torques."""
    robot, rng = RobotModel("ur10"), np.random.default_rng(seed)
    q, v = robot.posture("ready") + rng.uniform(-0.3, 0.3, 6), rng.normal(size=6)
    target = rng.normal(size=(3, 3))
    law = TaskSpaceLaw(robot, "tool0", effort_limits=np.full(6, 1e6))
    fast = law(q, v, target).tau
    law._free = None
    dense = law(q, v, target).tau
    assert fast.tobytes() != dense.tobytes()
    assert_allclose(fast, dense, rtol=0, atol=1e-10 * np.abs(dense).max())


@pytest.mark.parametrize("compensated", [True, False])
def test_gravity_is_made_up_for_below_the_hand(compensated):
    """Without compensation the arm sinks around its hand, which stays."""
    control = TaskSpaceSettings(
        posture=False, posture_damping=2.0, gravity_compensation=compensated
    )
    found = run(control=control, duration=0.5)
    q, _ = joints(found)
    sunk = np.abs(q[-1] - q[0]).max()
    assert sunk < 1e-9 if compensated else sunk > 0.05
    assert off(found).max() < 2e-3


def test_switched_off_the_task_leaves_gravity_compensation():
    control = TaskSpaceSettings(task=False)
    target = TargetMotion(offset=[0.1, 0.0, 0.0])
    found = run(control=control, target=target, duration=0.3)
    q, _ = joints(found)
    assert np.abs(q - q[0]).max() < 1e-6
    assert off(found) == pytest.approx(0.1)


def test_uniform_gains_shake_where_weighted_ones_hold():
    """The same k and c for all joints: wrists are too light for them."""
    ends = []
    for weighted in (True, False):
        control = TaskSpaceSettings(mass_weighted=weighted)
        ends.append(run(control=control, duration=0.4))
    assert np.abs(joints(ends[0])[1]).max() < 1e-6
    assert np.abs(joints(ends[1])[1]).max() > 10.0


@pytest.mark.slow
def test_programs_follow_where_truncation_does_not():
    """Motors at 0.3 of their limits: what truncation loses, and speeds that hold."""
    errors = {}
    target = TargetMotion(radius=0.2, frequency=0.8)
    for limits in ("truncate", "program"):
        found = run(
            control=TaskSpaceSettings(limits=limits),
            effort_share=0.3,
            target=target,
            duration=2.4,
        )
        assert at_limits(found).any()
        errors[limits] = rms(found, 1.0)
        if limits == "program":
            speed = RobotModel("ur10").velocity_limits
            assert (np.abs(joints(found)[1]) < 1.01 * speed).all()
    assert errors["program"] < 0.5 * errors["truncate"]


@pytest.mark.slow
@pytest.mark.parametrize("angle", [2e-3, 5e-3, 10e-3, 20e-3])
def test_sensing_the_hand_halves_the_error_under_noise(angle):
    noise = angle, 0.0, 0.0
    errors = [
        rms(run(noise=noise, hand_sensing=sensed, duration=3.0), 0.5)
        for sensed in (False, True)
    ]
    assert errors[1] <= 0.5 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("angle", [2e-3, 5e-3, 10e-3, 20e-3])
def test_with_noisy_rates_the_hands_own_has_to_be_observed(angle):
    """A hand that is sensed within half a millimeter, rates 0.1 rad/s for 10 mrad."""
    modeled, sensed, observed = (
        rms(
            run(
                noise=(angle, 10 * angle, 5e-4),
                hand_sensing=is_sensed,
                control=TaskSpaceSettings(observed_rate=is_observed),
                duration=3.0,
            ),
            0.5,
        )
        for is_sensed, is_observed in ((False, False), (True, False), (True, True))
    )
    assert sensed > 0.7 * modeled
    assert observed <= 0.5 * modeled


@pytest.mark.slow
def test_errors_grow_with_the_period_of_samples():
    errors = [
        rms(run(tick_period=period, target=CIRCLE, duration=3.0), 1.5)
        for period in (1e-3, 5e-3, 10e-3, 20e-3, 40e-3)
    ]
    assert errors == sorted(errors)
    assert errors[-1] > 5.0 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("model", ["sap", "similar", "continuous"])
def test_the_controller_does_not_care_what_simulates_the_robot(model):
    """Within a tenth of a millimeter of the error on the model that is the default."""
    ours, other = (
        rms(run(target=CIRCLE, duration=3.0, contact_model=m))
        for m in ("lagged", model)
    )
    assert other <= 1.1 * ours


@pytest.mark.slow
def test_the_controller_is_another_object_than_the_robot():
    """Five percent of mass that it does not know of: it droops, and still follows."""
    heavy = model_mismatch(mass_scale=1.05)
    found = run(target=CIRCLE, duration=3.0, world=heavy)
    assert 2.0 < rms(found) < 10.0


def test_samples_are_held_late_and_the_same_for_the_same_seed():
    noise = SensorNoise(position=1e-2, velocity=1e-1, hand=1e-3)
    sampler = StateSampler(RobotModel("ur10"), "tool0", noise, 0.01, 0.02, seed=3)
    simulator = Simulator(sampler)
    context = simulator.get_mutable_context()
    seen = []
    for k in range(6):
        sampler.GetInputPort("state").FixValue(context, np.full(12, float(k)))
        simulator.AdvanceTo(0.01 * k + 0.005)
        seen.append(sampler.GetOutputPort("state").Eval(context).copy())
        held = sampler.GetOutputPort("state").Eval(context)
        assert_allclose(held, seen[-1], rtol=0, atol=0)
    middles = [round(float(np.median(s))) for s in seen]
    assert middles == [0, 0, 0, 1, 2, 3]
    spread = np.std(np.array(seen)[3:, :6] - np.array([[1], [2], [3]]))
    assert 0.3e-2 < spread < 3e-2


@pytest.mark.parametrize("axis", ["z", "ry"])
def test_a_base_sways_as_prescribed(axis):
    """Within tenths of a millimeter or milliradian, whatever the arms do."""
    motion = BaseMotion(axis, 0.1, 6.0)
    found = run(robot="atlas", base=motion, duration=0.5)
    q, _ = joints(found)
    planned = np.array([motion.base(t, q[0])[0] for t in found.t])
    assert np.abs(q[:, :7] - planned).max() < 3e-4
    assert np.ptp(planned, axis=0).max() > 1e-2


def test_base_velocity_and_acceleration_are_derivatives_of_its_pose():
    motion, h = BaseMotion("x", 0.1, 6.0), 1e-4
    q = task_space_robot("atlas").posture("stand")
    for t in (0.3, 0.9, 1.7):
        before, now, after = (motion.base(t + k * h, q)[0][4] for k in (-1, 0, 1))
        velocity, acceleration = motion.base(t, q)[1][:, 3]
        assert (after - before) / (2 * h) == pytest.approx(velocity, abs=1e-5)
        assert (after - 2 * now + before) / h**2 == pytest.approx(
            acceleration, abs=1e-3
        )


DIRECTIONS = ["x", "y", "z", "rx", "ry", "rz"]


@pytest.mark.slow
@pytest.mark.parametrize("axis", DIRECTIONS)
def test_atlas_keeps_its_hand_still_while_its_pelvis_sways(axis):
    """0.1 m or rad at 6 rad/s, its acceleration fed forward: at most a millimeter."""
    base = BaseMotion(axis, 0.1, 6.0, feedforward=True)
    found = run(robot="atlas", base=base, duration=3.0)
    assert rms(found, 1.0) <= 1.0
    ignored = run(
        robot="atlas", base=BaseMotion(axis, 0.1, 6.0, feedforward=False), duration=3.0
    )
    assert rms(ignored, 1.0) > rms(found, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("axis", ["y", "z"])
def test_a_hand_feels_what_a_loose_arm_hands_on_of_its_base(axis):
    """Ignored, (J_B - J M^-1 M_B) a of the base's acceleration a is in its error."""
    base = BaseMotion(axis, 0.1, 6.0, feedforward=False)
    found = run(robot="atlas", base=base, duration=3.0)
    robot, law = task_space_robot("atlas"), TaskSpaceSettings()
    positions = joints(found)[0]
    state, k = Configuration(robot, positions[0]), 3 + "xyz".index(axis)
    error, rate, squares = np.zeros(3), np.zeros(3), []
    for t, q, dt in zip(found.t, positions, np.diff(found.t), strict=False):
        state.update(q)
        M, J = state.mass_matrix, state.jacobian("r_hand")[3:]
        felt = J[:, k] - J[:, 6:] @ np.linalg.solve(M[6:, 6:], M[6:, k])
        assert np.linalg.norm(felt) < 0.5
        back = -law.stiffness * error - law.damping * rate
        rate = rate + dt * (felt * base.at(t)[2, k] + back)
        error = error + dt * rate
        squares.append(error @ error)
    rms = 1e3 * np.sqrt(np.mean(np.array(squares)[found.t[:-1] >= 1.0]))
    assert rms(found, 1.0) == pytest.approx(rms, rel=0.1)


@pytest.mark.slow
def test_what_the_hand_does_not_need_stays_in_its_posture():
    """Left arm, head and torso stay as they were, the left arm straight sideways."""
    base = BaseMotion("z", 0.1, 2.0)
    found = run(robot="atlas", base=base, duration=4.0)
    robot = task_space_robot("atlas")
    q, _ = joints(found)
    away = np.abs(q - q[0])[:, 7:].max(axis=0)
    others = robot.joint_indices(["l_arm", "neck", "back"])
    assert away[others].max() < 0.1
    assert away[robot.joint_indices(["r_arm"])].max() > 0.2


def test_turned_gravity_is_known_where_the_pelvis_leans():
    """Compensation at a leaning pelvis is what a plant with that pelvis says."""
    robot = task_space_robot("atlas")
    q = robot.posture("reaching")
    q[:4] = [np.cos(0.15), np.sin(0.15), 0.0, 0.0]
    law = TaskSpaceLaw(robot, "r_hand", TaskSpaceSettings(task=False, posture=False))
    tau = law(q, np.zeros(robot.num_velocities), np.zeros((3, 3))).tau
    context = robot.plant.CreateDefaultContext()
    robot.plant.SetPositions(context, q)
    gravity = -robot.plant.CalcGravityGeneralizedForces(context)[6:]
    assert_allclose(tau, gravity, atol=1e-8)


def test_mistakes_are_told(tmp_path):
    mistakes = {
        "unknown robot": {"robot": "hal"},
        "frame": {"hand": "paw"},
        "unknown posture": {"start": "asleep"},
        "tick_period must be a multiple of time_step": {"tick_period": 1.5e-3},
        "bolted down and cannot sway": {"base": BaseMotion("z", 0.1)},
        "unknown axis": {"robot": "atlas", "base": BaseMotion("w", 0.1)},
        "unknown task_space.control.limits": {
            "control": TaskSpaceSettings(limits="hope")
        },
        "unknown contact_model": {"contact_model": "glue"},
        "effort_share is 0": {"effort_share": 0.0},
        "a base is moved in steps": {"robot": "atlas", "contact_model": "continuous"},
        "must be a list of 3 numbers": {"target": TargetMotion(offset=[0.1])},
    }
    for message, changes in mistakes.items():
        with pytest.raises(BackbeatError, match=message):
            run(**changes)
    path = tmp_path / "scenario.yaml"
    for text, message in {
        "task_space: {target: {radios: 0.1}}": "radios",
        "task_space: {}\nbehavior: march": "performs no behavior such as 'march'",
        "task_space: {}\npreset: momentum": "task_space takes their place",
    }.items():
        path.write_text(text)
        with pytest.raises(BackbeatError, match=message):
            load_scenario(path)


def test_a_file_of_an_earlier_version_is_the_same_scenario(tmp_path, caplog):
    path = tmp_path / "scenario.yaml"
    path.write_text(
        "target: {radius: 0.1}\nperiod: 0.005\ndelay: 0.002\nmass_scale: 1.05\n"
        "noise: {angle: 0.005, hand: 0.001}\nhand_sensing: true\n"
        "control: {limits: program}\nduration: 1\n"
    )
    found = load_scenario(path)
    assert "read for one more version" in caplog.text
    task = TargetMotion(radius=0.1), TaskSpaceSettings(limits="program")
    wanted = of_task(
        "ur10", 1.0, target=task[0], control=task[1], hand_sensing=True
    ).changed(tick_period=0.005, world=model_mismatch(mass_scale=1.05))
    wanted = sampled(wanted, 0.005, 0.0, 0.001).changed(sensing_delay=0.002)
    assert found == wanted.check()
    path.write_text("target: {radios: 0.1}\n")
    with pytest.raises(BackbeatError, match="radios"):
        load_scenario(path)


def test_an_arm_in_another_engine_follows_as_well():
    """MuJoCo moves it: another simulator, the same law."""
    pytest.importorskip("mujoco")
    scenario = of_task("ur10", 2.0, target=CIRCLE).changed(engine="mujoco")
    assert rms(run_task_space(scenario), 1.0) < 0.5


def test_a_push_moves_the_hand_and_it_comes_back():
    """The disturbances of all other runs are those of task space."""
    scenario = of_task("ur10", 1.5)
    pushes = [Push(0.5, 0.1, [0.0, 0.0, 2.0], "wrist_3_link")]
    error = off(run_task_space(scenario.changed(pushes=pushes)))
    assert error[:100].max() < 1e-6
    assert error[100:140].max() > 1e-3
    assert error[-1] < 1e-4


def test_a_run_in_task_space_is_made_again_from_its_file(tmp_path):
    scenario = of_task("ur10", 0.4, target=CIRCLE, hand_sensing=True)
    first = run_task_space(sampled(scenario, 2e-3, 1e-2, 1e-3))
    path = save_run(first, tmp_path / "arm.run.parquet", run_metrics(first))
    samples, story = load_run(path)
    behavior = behavior_of_run(Library(tmp_path), story)
    again = run_scenario(run_settings(story), behavior, run_weights(story))
    assert compare_samples(samples, run_frame(again)) is None
    assert story["metrics"]["upper_body"]["hand"] == "tool0"
    other = of_task("ur10", 0.4, start="zero")
    assert other_origins(story, task_space_behavior(other))
    assert not other_origins(story, behavior)
    told = str(explain_run(again, 0.3))
    assert "priority 2, acceleration of the hand" in told
