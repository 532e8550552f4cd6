from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.behaviors.kinematic import singular_values as cures
from backbeat.behaviors.kinematic.behavior import (
    KINEMATIC,
    kinematic_behavior,
    read_score,
)
from backbeat.behaviors.kinematic.player import (
    KinematicPlayer,
    KinematicSettings,
    play_kinematically,
    seated_robot,
)
from backbeat.behaviors.kinematic.segments import Segment, apex, parabola
from backbeat.behaviors.kinematic.singular_values import compare_cures, singular_values
from backbeat.behaviors.kinematic.trajectory import KEPT
from backbeat.behaviors.kinematic.two_branches import (
    TIPS,
    damped_inverse,
    leakage_bound,
    seventeen,
    smallest_value_gradient,
    two_branch_jacobian,
)
from backbeat.behaviors.music.notation.score import Hit, Hold, Score
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.robot.loading import find_frame
from backbeat.models.state.configuration import Configuration

REST = {"left": "snare", "right": "floor_tom"}
heights = st.floats(-0.5, 1.5)


@pytest.fixture(scope="module")
def robot():
    return seated_robot(DrumKit())[0]


@pytest.fixture(scope="module")
def score():
    """A hold of three beats and two bars of hi-hat, snare and toms at 98 BPM."""
    members = {"left": ("hi_hat", "snare"), "right": ("mid_tom", "floor_tom")}
    hits = [
        Hit(3.0 + k / 2, members[hand][k % 2], hand, 90)
        for k in range(12)
        for hand in ("left", "right")
    ]
    hold = Hold(0.0, 3.0, "dance", REST, 0.2, 2.0)
    return Score(Tempo(98.0), tuple(hits), (hold,), 10.0)


@pytest.fixture(scope="module")
def played(score):
    return play_kinematically(score, DrumKit())


# --- segments ---------------------------------------------------------------------


@given(heights, heights, st.floats(0.01, 0.5), st.floats(0.05, 3.0))
def test_the_parabola_meets_its_conditions(z_0, z_f, h, T):
    a, b, c = parabola(z_0, z_f, h, T)
    z = lambda t: (a * t + b) * t + c  # noqa: E731
    assert z(0.0) == z_0
    assert z(T) == pytest.approx(z_f, abs=1e-9)
    assert z(T / 2) == pytest.approx(max(z_0, z_f) + h, abs=1e-9)
    matrix = np.array([[T**2, T], [T**2 / 4, T / 2]])
    assert np.linalg.det(matrix) == pytest.approx(T**3 / 4, rel=1e-6)
    right = [z_f - z_0, max(z_0, z_f) + h - z_0]
    np.testing.assert_allclose(np.linalg.solve(matrix, right), [a, b], rtol=1e-6)


@given(heights, heights, st.floats(0.02, 0.5), st.floats(0.05, 3.0))
def test_half_time_is_the_apex_between_equal_heights_only(z_0, z_f, h, T):
    time, top = apex(z_0, z_f, h, T)
    half = max(z_0, z_f) + h
    assert top >= half - 1e-12
    if abs(z_f - z_0) > 1e-3:
        assert abs(time - T / 2) > 1e-6 * T
        assert top > half
    assert apex(z_0, z_0, h, T) == pytest.approx((T / 2, z_0 + h))


def test_a_goto_is_straight_from_above_and_turns_with_the_path_variable():
    p_0, p_f = np.array([0.5, 0.1, 0.8]), np.array([0.7, -0.3, 1.1])
    way = Segment("Goto", 2.0, 2.5, p_0, p_f, -1.0, 0.6, 0.13, 0.7)
    assert [way.path_variable(t) for t in (1.0, 2.0, 2.25, 2.5, 9.0)] == [
        0,
        0,
        0.5,
        1,
        1,
    ]
    np.testing.assert_allclose(way.place(2.0), p_0, atol=1e-12)
    np.testing.assert_allclose(way.place(2.5), p_f, atol=1e-12)
    for t in (2.1, 2.3, 2.45):
        share = (t - 2.0) / 0.5
        np.testing.assert_allclose(way.place(t)[:2], (p_0 + share * (p_f - p_0))[:2])
    assert way.angles(2.0) == pytest.approx((-1.0, 0.0))
    # Not divided by T a second time: theta_z arrives.
    assert way.angles(2.5) == pytest.approx((0.6, 0.0))
    assert way.angles(2.25) == pytest.approx((-0.2, 0.7))
    R = way.rotation(2.25)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
    # Rz Rx: the stick's axis y goes up by theta_x and round by theta_z.
    np.testing.assert_allclose(R[2, 1], np.sin(0.7))
    assert np.arctan2(-R[0, 1], R[1, 1]) == pytest.approx(-0.2)


def test_a_hold_stays():
    p = np.array([0.5, 0.1, 0.8])
    hold = Segment("Hold", 0.0, 1.0, p, p, 0.3, 0.3)
    np.testing.assert_array_equal(hold.place(0.4), p)
    assert hold.angles(0.4) == (0.3, 0.0)


# --- two branches -----------------------------------------------------------------


def test_seventeen_joints_move(robot):
    assert robot.num_joints == 17
    assert not robot.floating
    assert sorted(seventeen(robot)) == list(range(17))


@pytest.mark.parametrize("seed", range(3))
def test_the_jacobian_is_drakes_and_has_zero_blocks(robot, seed):
    random = np.random.default_rng(seed)
    q = random.uniform(robot.position_lower, robot.position_upper)
    J_p, J_R = two_branch_jacobian(Configuration(robot, q))
    assert J_p.shape == J_R.shape == (6, 17)
    for J in (J_p, J_R):
        assert not J[:3, 10:].any()
        assert not J[3:, 3:10].any()
    # Drake, all columns: what it has in the other arm's block is zero as well.
    from pydrake.multibody.tree import JacobianWrtVariable

    plant = robot._full
    context = plant.CreateDefaultContext()
    for name, angle in zip(robot.joint_names, q, strict=True):
        plant.GetJointByName(name).set_angle(context, angle)
    for name, angle in robot.locked.items():
        plant.GetJointByName(name).set_angle(context, angle)
    starts = [
        plant.GetJointByName(robot.joint_names[i]).velocity_start()
        for i in seventeen(robot)
    ]
    for i, tip in enumerate(TIPS):
        frame = find_frame(plant, f"{tip[0]}_stick::stick_tip")
        world = plant.world_frame()
        J = plant.CalcJacobianSpatialVelocity(
            context, JacobianWrtVariable.kV, frame, np.zeros(3), world, world
        )[:, starts]
        np.testing.assert_allclose(J_R[3 * i : 3 * i + 3], J[:3], atol=1e-12)
        np.testing.assert_allclose(J_p[3 * i : 3 * i + 3], J[3:], atol=1e-12)


def test_the_jacobian_is_that_of_differences(robot):
    q = robot.posture("drum-ready-seated")
    state = Configuration(robot, q)
    J, _ = two_branch_jacobian(state)
    for column, joint in enumerate(seventeen(robot)):
        ends = []
        for step in (1e-6, -1e-6):
            near = q.copy()
            near[joint] += step
            state.update(near)
            ends.append(np.concatenate([state.pose(t).translation() for t in TIPS]))
        np.testing.assert_allclose(J[:, column], (ends[0] - ends[1]) / 2e-6, atol=1e-8)


def test_the_gradient_of_the_smallest_value_is_that_of_differences(robot):
    random = np.random.default_rng(4)
    q = random.uniform(robot.position_lower, robot.position_upper)
    state = Configuration(robot, q)
    gradient = smallest_value_gradient(*two_branch_jacobian(state))

    def smallest(joints):
        J, _ = two_branch_jacobian(state.update(joints))
        return np.linalg.svd(J, compute_uv=False)[-1]

    for column, joint in enumerate(seventeen(robot)):
        step = 1e-5 * (np.arange(17) == joint)
        change = (smallest(q + step) - smallest(q - step)) / 2e-5
        assert gradient[column] == pytest.approx(change, abs=1e-8)


@pytest.mark.parametrize("damping", [1e-3, 0.02, 0.3])
def test_both_forms_of_the_damped_inverse_agree_and_are_bounded(damping):
    random = np.random.default_rng(1)
    J = random.standard_normal((6, 17))
    J[5] = J[4] + 1e-4 * J[5]  # nearly singular
    wide = np.linalg.solve(J.T @ J + damping**2 * np.eye(17), J.T)
    J_w = damped_inverse(J, damping)
    np.testing.assert_allclose(J_w, wide, atol=1e-6 * np.abs(wide).max())
    assert np.linalg.norm(J_w, 2) <= 1 / (2 * damping) * (1 + 1e-9)


def test_without_damping_it_is_the_pseudo_inverse():
    J = np.random.default_rng(2).standard_normal((6, 17))
    exact = damped_inverse(J, 0.0)
    np.testing.assert_allclose(J @ exact, np.eye(6), atol=1e-12)
    small = [np.abs(damped_inverse(J, g) - exact).max() for g in (1e-2, 1e-3, 1e-4)]
    assert small[0] > 50 * small[1] > 2500 * small[2] > 0


def test_the_projector_is_exact_only_without_damping(robot):
    J, _ = two_branch_jacobian(Configuration(robot, robot.posture("drum-ready-seated")))
    secondary = np.random.default_rng(3).standard_normal(17)
    leaks = []
    for g in (0.0, 0.02, 0.1):
        leak = J @ (secondary - damped_inverse(J, g) @ (J @ secondary))
        bound = leakage_bound(J, g) * np.linalg.norm(secondary)
        assert np.linalg.norm(leak) <= bound + 1e-12
        assert leakage_bound(J, g) <= g / 2 + 1e-12
        leaks.append(np.linalg.norm(leak))
    assert leaks[0] < 1e-12
    assert leaks[1] > 1e-6
    # Twenty times as much for five times the damping, as g^2 / (s^2 + g^2) says.
    assert leaks[2] > 15 * leaks[1]
    # The bound is reached where a singular value is g itself.
    assert leakage_bound(np.diag([0.1, 1.0]), 0.1) == pytest.approx(0.05)


# --- the player -------------------------------------------------------------------


def test_every_hit_is_at_its_drum_on_its_time(played, score):
    kit, robot = DrumKit(), played.robot
    state = Configuration(robot, robot.posture("drum-ready-seated"))
    q = np.zeros(17)
    for hit in score.hits:
        k = int(np.argmin(np.abs(played.times - score.tempo.time(hit.beat))))
        assert played.times[k] == pytest.approx(score.tempo.time(hit.beat), abs=1e-9)
        q[robot.joint_indices(played.names)] = played.q[k]
        p = state.update(q).pose(f"{hit.hand[0]}_stick_tip").translation()
        touch = kit.strike_pose(hit.member).multiply(np.array([0.0, 0.0, 0.007]))
        assert np.linalg.norm(p - touch) < 2e-3


def test_velocity_is_the_difference_of_angles_and_nothing_jumps(played):
    step = np.diff(played.times)
    np.testing.assert_allclose(
        np.diff(played.q, axis=0), played.qdot[:-1] * step[:, None], atol=1e-12
    )
    at = played.robot.joint_indices(played.names)
    share = np.abs(played.qdot) / played.robot.velocity_limits[at]
    assert share.max() < 0.6
    assert np.abs(np.diff(played.q, axis=0)).max() < 0.05


def test_the_leak_is_measured_and_small(played):
    assert played.leakage.max() > 1e-5
    assert played.leakage.max() < 0.02
    assert played.tip_error.max() < 2e-3


def test_the_torso_dances_in_a_hold_and_is_upright_otherwise(played, score):
    turn = played.q[:, played.names.index("back_bkz")]
    hold = played.kinds == "Hold"
    assert played.times[hold].max() < score.tempo.time(2.0)
    assert np.ptp(turn[hold]) > 0.1
    # With the upright task off, the torso is farther from upright.
    free = play_kinematically(score, DrumKit(), KinematicSettings(upright=0.0))
    back = slice(0, 3)
    assert np.abs(played.q[~hold, back]).mean() < np.abs(free.q[~hold, back]).mean()
    # While it dances, the tips rest.
    assert played.tip_error[hold].max() < 1e-3


def test_elbows_stay_near_their_middle(played, score):
    free = play_kinematically(score, DrumKit(), KinematicSettings(elbow=0.0))
    ready = played.robot.posture("drum-ready-seated")
    names = ("l_arm_ely", "l_arm_elx", "r_arm_ely", "r_arm_elx")
    at = [played.names.index(name) for name in names]
    middle = ready[played.robot.joint_indices(names)]
    off = [np.abs(p.q[:, at] - middle).mean() for p in (played, free)]
    assert off[0] < 0.8 * off[1]


def test_the_smallest_singular_value_stays_above_its_floor(played, score):
    settings = KinematicSettings()
    assert played.singular[:, -1].min() > KEPT * settings.floor
    # A higher floor holds as well, which nothing else would keep.
    high = play_kinematically(score, DrumKit(), KinematicSettings(floor=0.27))
    free = play_kinematically(score, DrumKit(), KinematicSettings(floor=0.0))
    assert high.singular[:, -1].min() > KEPT * 0.27
    assert free.singular[:, -1].min() < 0.26
    assert played.beyond().max() == 0.0
    assert "below the floor" not in " ".join(played.sentences(settings.floor))


def test_elbows_are_kept_down(played, score):
    """A raised kit draws them up; they are kept as low as they are asked to be."""
    assert (played.elbows().share_down() == 1.0).all()
    assert (played.elbows().least_depth() > 0.1).all()
    up = np.array([-0.05, 0.0, 0.35])
    kit = DrumKit(moved=dict.fromkeys(("hi_hat", "mid_tom", "snare", "floor_tom"), up))
    loose = KinematicSettings(elbow=0.0, keep=0.0, stick=0.0)
    kept = replace(loose, keep=10.0, elbow_depth=0.2, floor=0.0)
    least = [
        play_kinematically(score, kit, settings).elbows().least_depth().min()
        for settings in (loose, kept)
    ]
    assert least[0] < 0.18
    assert least[1] > 0.199


def test_what_no_posture_can_keep_is_told_and_bounded(monkeypatch):
    """Both crash and ride so far away that arms are stretched."""
    away = np.array([0.25, 0.35, 0.1])
    kit = DrumKit(moved={"crash": away, "ride": away * [1, -1, 1]})
    hits = tuple(
        Hit(1.0 + k, m, h, 90)
        for k in range(3)
        for h, m in (("left", "crash"), ("right", "ride"))
    )
    stretched = Score(Tempo(98.0), hits, (), 4.0)
    compared = {name: cures.CASES[name] for name in ("no measures", "all measures")}
    monkeypatch.setattr(cures, "CASES", compared)
    cases = compare_cures(stretched, kit).groupby("case")
    smallest, fastest = cases["smallest"].min(), cases["fastest"].max()
    none, every = "no measures", "all measures"
    assert smallest[none] < 0.1
    assert smallest[none] < smallest[every] < KinematicSettings().floor
    assert fastest[every] < fastest[none]
    played = play_kinematically(stretched, kit)
    told = played.sentences(KinematicSettings().floor)[0]
    assert "below the floor of 0.25 in" in told


def test_singular_values_of_a_motion_are_those_of_the_player(played):
    q = np.zeros_like(played.q)
    q[:, played.robot.joint_indices(played.names)] = played.q
    table = singular_values(played.robot, played.times[::50], q[::50])
    np.testing.assert_allclose(
        table[[f"s{i}" for i in range(1, 7)]], played.singular[::50], atol=1e-12
    )


def test_a_hand_at_two_drums_is_refused(score):
    twice = replace(score, hits=(*score.hits, Hit(3.0, "crash", "left", 90)))
    with pytest.raises(BackbeatError, match="left hand"):
        KinematicPlayer(twice, DrumKit(), KinematicSettings())


def test_what_is_no_drumming_is_refused():
    with pytest.raises(BackbeatError, match="kinematic player"):
        read_score("stand")
    with pytest.raises(BackbeatError, match="no-such-song"):
        read_score("no-such-song")


@pytest.mark.slow
def test_outstanding_as_a_behavior():
    behavior = kinematic_behavior("outstanding")
    assert behavior.kind == KINEMATIC
    assert behavior.motion.q.shape[1] == 17
    assert len(behavior.strikes()) == 76
