"""Robots that start from others, by `like`, by overlays, or both."""

import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import SHIPPED, load_description, robot_files
from backbeat.models.robot.model import RobotModel

FIGURES = {
    "back_bkx": (-0.697, 0.572, 200.0, 12.0),
    "l_arm_shy": (-1.474, 0.769, 212.0, 12.0),
    "r_arm_shy": (-1.474, 0.769, 212.0, 12.0),
}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of our own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_calibrated_atlas_has_the_figures_of_the_notes():
    """Newman, "Modeling the Atlas Robot", 2014, in which three joints are quoted."""
    robot = RobotModel("atlas_v3_calibrated")
    assert robot.num_joints == 28
    for name, figures in FIGURES.items():
        i = robot.joint_index(name)
        found = (
            robot.position_lower[i],
            robot.position_upper[i],
            robot.effort_limits[i],
            robot.velocity_limits[i],
        )
        assert found == pytest.approx(figures, abs=0)
        joint = robot.urdf.joints[name]
        assert joint.dynamics.damping == (0.1,)
        assert (joint.safety.k_position, joint.safety.k_velocity) == (100, 100)
    shoulder = robot.urdf.joints["l_arm_shy"]
    assert shoulder.origin.xyz == (0.06441, 0.13866, 0.10718)
    assert shoulder.axis == (0, 0.5, 0.866025)
    torso = robot.urdf.links["utorso"].inertial
    assert (torso.mass, torso.origin.xyz) == (52.007, (-0.0923, 0, 0.3))
    assert torso.inertia == (1.466, 0.00362, 0.336, 1.51, 0.001, 1.3)


def test_soft_limits_of_the_third_atlas_lie_inside_its_hard_ones():
    for name in ("atlas_v3", "atlas_v3_calibrated", "atlas_v4", "atlas_v5_drcsim"):
        robot = RobotModel(name)
        laws = robot.safety_laws()
        assert len(laws) == robot.num_joints
        for law in laws:
            assert law.soft_lower == pytest.approx(law.lower + 0.1)
            assert law.soft_upper == pytest.approx(law.upper - 0.1)
            # Its description says what the published one says.
            assert robot.urdf.joints[law.joint].safety.soft_upper > law.upper + 9.9
            i = robot.joint_index(law.joint)
            stand = robot.posture("stand")[7 + i]
            assert law.soft_lower < stand < law.soft_upper


def test_own_keys_go_on_top(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "name: mine\nlike: atlas\nurdf: mine.overlay.yaml\n"
        "postures: {stand: {joints: {neck_ay: 0.1}}, bowed: {base: stand}}\n"
        "mirror_flips: [back_bkz]\n"
    )
    atlas = SHIPPED["atlas"].parent / "atlas_v5.urdf"
    (tmp_path / "mine.overlay.yaml").write_text(
        f"urdf: {atlas}\njoints: {{neck_ay: {{effort: 7}}}}\n"
    )
    own, base = load_description(path), load_description(SHIPPED["atlas"])
    # Maps are merged, at every depth; lists are replaced.
    assert own.groups == base.groups
    assert own.postures["stand"].joints == {
        **base.postures["stand"].joints,
        "neck_ay": 0.1,
    }
    assert own.mirror_flips == ["back_bkz"]
    robot = RobotModel(path, equipment=["sticks"])
    assert robot.effort_limits[robot.joint_index("neck_ay")] == 7
    # What is carried comes from beside the robot that this one starts from.
    assert robot.total_mass == pytest.approx(
        RobotModel("atlas", ["sticks"]).total_mass, rel=1e-12
    )
    names = {p.name for p in robot_files(path)}
    assert names >= {"mine.yaml", "mine.overlay.yaml", "atlas.yaml", "atlas_v5.urdf"}


def test_a_change_of_what_it_starts_from_is_seen(tmp_path):
    for name in ("a", "b"):
        like = "like: a.yaml\n" if name == "b" else "like: ur10\nfixed: true\n"
        (tmp_path / f"{name}.yaml").write_text(f"name: {name}\n{like}")
    assert load_description(tmp_path / "b.yaml").fixed
    (tmp_path / "a.yaml").write_text("name: a\nlike: ur10\nfixed: false\ntrunk: x\n")
    assert load_description(tmp_path / "b.yaml").trunk == "x"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("like: mine.yaml", "starts from itself"),
        ("like: atlass", "no robot to start from is called 'atlass'"),
        ("like: atlas\nurdf: loop.yaml", "made from itself"),
        ("like: atlas\nsoft_limit_margin: -1", "must be >= 0 and < 1 rad"),
    ],
)
def test_what_makes_no_robot_is_a_sentence(tmp_path, text, said):
    (tmp_path / "loop.yaml").write_text("urdf: pool.yaml\n")
    (tmp_path / "pool.yaml").write_text("urdf: loop.yaml\n")
    path = tmp_path / "mine.yaml"
    path.write_text(f"name: mine\n{text}\n")
    with pytest.raises(BackbeatError, match=said):
        load_description(path)
