"""Atlas on feet that are welded to the ground, its pelvis moved by its legs."""

import numpy as np
import pytest
from pydrake.common.eigen_geometry import Quaternion
from pydrake.math import RotationMatrix
from pydrake.systems.analysis import Simulator

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.analysis.hand_error import error_figures
from backbeat.mpc.analysis.hand_studies import ALL_AXES, of_task, pelvis_scenario
from backbeat.mpc.control.task_space_setup import task_space_behavior
from backbeat.mpc.moved_base.welded_feet import WeldedLegs
from backbeat.mpc.scenario.base_motion import BaseMotion, moved
from backbeat.mpc.simulation.diagram import build_closed_loop
from backbeat.mpc.simulation.simulate import run_task_space


def turn(pose: np.ndarray) -> RotationMatrix:
    return RotationMatrix(Quaternion(pose[:4] / np.linalg.norm(pose[:4])))


@pytest.mark.parametrize("axis", [ALL_AXES, "rz rx", "ry"])
def test_velocity_and_acceleration_are_derivatives_of_the_pose(axis):
    """Whatever it turns about, by differences of poses; from a pelvis that leans."""
    motion, h = BaseMotion(axis, 0.4, 3.0), 1e-4
    q = np.r_[np.cos(0.2), 0.0, np.sin(0.2), 0.0, 0.1, 0.2, 0.9]
    for t in (0.4, 0.9, 1.7):
        before, now, after = (motion.base(t + k * h, q) for k in (-1, 0, 1))
        velocity, acceleration = now[1]
        step = turn(after[0]) @ turn(before[0]).inverse()
        angle = step.ToAngleAxis()
        assert angle.axis() * angle.angle() / (2 * h) == pytest.approx(
            velocity[:3], abs=1e-6
        )
        assert (after[0][4:] - before[0][4:]) / (2 * h) == pytest.approx(
            velocity[3:], abs=1e-6
        )
        assert (after[1][0] - before[1][0]) / (2 * h) == pytest.approx(
            acceleration, abs=1e-5
        )


def test_all_six_directions_are_gone_each_in_its_own_time():
    motion = BaseMotion(ALL_AXES, 0.1, 2.0)
    assert len(set(motion.rates())) == 6
    assert motion.rates().max() == 2.0
    ways = np.array([motion.at(t)[0] for t in np.arange(0.0, 60.0, 0.05)])
    assert np.abs(ways).max(0) == pytest.approx(0.1, rel=0.01)
    # No direction is a share of another.
    assert np.abs(np.corrcoef(ways.T) - np.eye(6)).max() < 0.1


def test_legs_at_rest_carry_what_lifting_the_pelvis_costs():
    """tau' dq of the legs is the potential energy that the whole robot gains."""
    robot = RobotModel("atlas")
    q, still = robot.posture("ready"), np.zeros(robot.num_velocities)
    legs = WeldedLegs(robot, q)
    plant, context = robot.plant, robot.plant.CreateDefaultContext()

    def energy(pose: np.ndarray) -> float:
        plant.SetPositions(context, pose)
        return float(plant.CalcPotentialEnergy(context))

    energy(q)
    above = -plant.CalcGravityGeneralizedForces(context)[6:]
    tau = legs.torques(q, still, np.zeros(6), above)
    for k in range(6):
        ends = []
        for d in (-1e-4, 1e-4):
            sway, bent = np.zeros((3, 6)), q.copy()
            sway[0, k] = d
            bent[:7] = moved(sway, q)[0]
            assert legs.follow(bent) < 1e-9
            ends.append(bent)
        work = tau @ (ends[1] - ends[0])[7:][legs.joints]
        gained = energy(ends[1]) - energy(ends[0])
        assert work == pytest.approx(gained, abs=2e-4)


def test_feet_stay_and_the_pelvis_goes_as_prescribed():
    """Motors of legs alone move it: within limits, and feet where they were."""
    scenario = pelvis_scenario(2.0, duration=1.2)
    behavior = task_space_behavior(scenario)
    loop = build_closed_loop(behavior, scenario.check(), by_hand=False)
    simulator = Simulator(loop.diagram, loop.make_context())
    root = simulator.get_mutable_context()
    plant, legs = loop.world.plant, loop.body.legs
    own = plant.GetMyContextFromRoot(root)
    feet = [plant.GetBodyByName(n) for n in ("l_foot", "r_foot")]
    start = [f.EvalPoseInWorld(own).translation().copy() for f in feet]
    assert legs is not None
    for t in (0.4, 0.8, 1.2):
        simulator.AdvanceTo(t)
        for foot, place in zip(feet, start, strict=True):
            now = foot.EvalPoseInWorld(own)
            assert np.linalg.norm(now.translation() - place) < 3e-5
            assert now.rotation().ToAngleAxis().angle() < 1e-4
        pelvis = plant.GetBodyByName("pelvis").EvalPoseInWorld(own)
        asked = scenario.control.task_space.base.base(t, loop.q_start)[0]
        assert pelvis.translation() == pytest.approx(asked[4:], abs=1e-4)
        off = pelvis.rotation() @ turn(asked).inverse()
        assert off.ToAngleAxis().angle() < 3e-4
        # Nothing but motors acts on it.
        assert plant.get_applied_spatial_force_input_port().HasValue(own) is False
        drive = loop.diagram.GetSubsystemByName("drive")
        effort = drive.GetOutputPort("leg_effort").Eval(
            drive.GetMyContextFromRoot(root)
        )
        limits = legs.robot.effort_limits[legs.joints]
        assert 0.05 < (np.abs(effort) / limits).max() < 1.0
    # It carries its weight through the legs.
    assert np.ptp([f.EvalPoseInWorld(own).translation()[2] for f in feet]) < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("radius", [0.0, 0.05])
def test_the_hand_is_where_it_shall_be_while_the_pelvis_goes_everywhere(radius):
    """0.1 m and rad at 2 rad/s: within a tenth of a millimeter, joint stops or not."""
    found = run_task_space(pelvis_scenario(2.0, radius=radius, duration=4.0))
    assert not found.fell
    figures, q = error_figures(found), found.x[:, : found.behavior.motion.q.shape[1]]
    assert figures["error_rms_mm"] <= 0.1
    assert figures["leg_share_max"] < 1.0
    assert np.ptp(q[:, 4:7], axis=0).min() > 0.15
    robot = RobotModel("atlas")
    at = robot.joint_indices(["l_leg", "r_leg"])
    others = np.setdiff1d(np.arange(robot.num_joints), at)
    lower, upper = robot.position_lower[others], robot.position_upper[others]
    assert (q[:, 7:] > lower - 1e-3).all()
    assert (q[:, 7:] < upper + 1e-3).all()


@pytest.mark.slow
def test_an_acceleration_that_is_ignored_costs_the_hand_many_times_its_error():
    errors = [
        error_figures(
            run_task_space(pelvis_scenario(2.0, feedforward=fed, duration=3.0))
        )
        for fed in (True, False)
    ]
    assert errors[1]["error_rms_mm"] > 3.0 * errors[0]["error_rms_mm"]


def test_mistakes_are_told():
    everywhere = BaseMotion(ALL_AXES, 0.2, 2.0, feet="welded")
    for message, base in {
        "the pelvis goes where legs with welded feet do not reach": everywhere,
        "unknown task_space.base.feet": BaseMotion("z", 0.1, feet="glued"),
        "each named once": BaseMotion("z x z", 0.1),
        "task_space.base.amplitude is inf": BaseMotion("z", np.inf),
    }.items():
        with pytest.raises(BackbeatError, match=message):
            run_task_space(of_task("atlas", 4.0, base=base))
    with pytest.raises(BackbeatError, match="bolted down"):
        run_task_space(of_task("ur10", 4.0, base=BaseMotion("z", feet="welded")))
    with pytest.raises(BackbeatError, match="unknown posture"):
        run_task_space(of_task("atlas", 4.0, legs="crossed"))


def test_legs_of_five_joints_are_refused_in_one_sentence():
    robot = RobotModel("h1")
    with pytest.raises(BackbeatError, match=r"h1 has legs of 5 and 5; take feet: held"):
        WeldedLegs(robot, robot.posture("stand"))
