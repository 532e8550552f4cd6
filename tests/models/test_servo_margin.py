"""Gains that a sampled servo can hold: the recursion itself says whether they do."""

import numpy as np
import pytest
from scipy.linalg import expm

from backbeat.models.actuation.servo_margin import SampledServo, servo_of
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

LINK = """<link name="{0}"><inertial><origin xyz="{1}"/><mass value="{2}"/>
  <inertia ixx="{3}" iyy="{3}" izz="{4}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>
  <origin xyz="0 0 {3}"/><axis xyz="{4}"/>
  <limit lower="-2" upper="2" effort="10" velocity="16"/></joint>"""
YAML = """name: tiny
urdf: tiny.urdf
base: base
fixed: true
groups: {{arm: [elbow, wrist]}}
servo: {{arm: {{frequency: {}, least_inertia: {}}}}}
"""
ROTOR = """<transmission name="t" type="SimpleTransmission"><joint name="{0}">
  <hardwareInterface>EffortJointInterface</hardwareInterface></joint>
  <actuator name="{0}_motor">{1}</actuator></transmission>"""
# Inertia of the wrist about its axis [kg m^2], of its rotor behind a gear.
WRIST, REFLECTED = 8e-6 + 0.085 * (0.002**2 + 0.001**2), 1e-6 * 50**2


@pytest.fixture
def tiny(tmp_path):
    """`tiny(frequency, least)` is an arm with a wrist that weighs next to nothing."""

    def make(frequency, least, rotor=""):
        links = '<link name="base"/>' + LINK.format("arm", "0 0 -.1", 0.5, 2e-3, 5e-4)
        links += LINK.format("wrist", "0.002 0.001 -0.02", 0.085, 3.7e-5, 8e-6)
        joints = JOINT.format("elbow", "base", "arm", 0, "0 1 0")
        joints += JOINT.format("wrist", "arm", "wrist", -0.2, "0 0 1")
        motors = ROTOR.format("elbow", "") + ROTOR.format("wrist", rotor)
        text = f'<robot name="tiny">{links}{joints}{motors if rotor else ""}</robot>'
        (tmp_path / "tiny.urdf").write_text(text)
        (tmp_path / "tiny.yaml").write_text(YAML.format(frequency, least))
        return RobotModel(tmp_path / "tiny.yaml")

    return make


def shaken(inertia, stiffness, damping, own=0.0, step=1e-3, late=0, lag=0.0):
    """Largest angle of a joint after 4,000 steps from a start of 1 rad.

    The motor's answer within a step comes from a matrix exponential, so that nothing
    here is shared with what is tested.
    """
    q, v, u = 1.0, 0.0, 0.0
    seen = [(q, v)] * (late + 1)
    for _ in range(4000):
        seen = [(q, v), *seen[:late]]
        w = -stiffness * seen[late][0] - damping * seen[late][1]
        mean = w
        if lag > 0:
            # d/dt (effort, its integral, what it is told)
            A = np.array([[-1 / lag, 0, 1 / lag], [1, 0, 0], [0, 0, 0]])
            u, area, _ = expm(step * A) @ (u, 0.0, w)
            mean = area / step
        v = (v + step * mean / inertia) / (1 + step * own / inertia)
        q += step * v
        if abs(q) > 1e6:
            break
    return abs(q)


@pytest.mark.parametrize("own", [0.0, 0.02])
@pytest.mark.parametrize(
    ("late", "lag"), [(0, 0.0), (1, 0.0), (2, 0.0), (0, 0.005), (2, 0.005)]
)
def test_the_largest_share_parts_rest_from_shaking(late, lag, own):
    inertia, step = 1e-3, 1e-3
    gains = servo_of(inertia, 20.0, 0.0)
    share = SampledServo(inertia, *gains, own, step, late, lag).largest_share()
    for factor, is_stable in ((0.9, True), (1.1, False)):
        kp, kd = (factor * share * g for g in gains)
        servo = SampledServo(inertia, kp, kd, own, step, late, lag)
        assert servo.holds() is is_stable
        left = shaken(inertia, kp, kd, own, step, late, lag)
        assert (left < 1e-2) if is_stable else (left > 1e2)


def test_without_delay_the_eigenvalues_say_what_the_closed_form_does():
    for kd in (1.9, 2.1):
        kp = 50.0
        for own in (0.0, 0.3):
            formula = kd + 0.5 * 1e-3 * kp < 2.0 + own
            assert SampledServo(1e-3, kp, kd, own).holds() is formula
            # A lag that is nothing beside a step leaves it so.
            late = SampledServo(1e-3, kp, kd, own, lag=1e-9)
            assert late.holds() is formula


def test_a_wrist_that_would_shake_is_refused_with_what_holds(tiny):
    with pytest.raises(BackbeatError, match=r"servo of wrist .*8\.4e-06.*shakes") as e:
        tiny(3.0, 0.01)
    most = float(str(e.value).rpartition("at most ")[2])
    omega = 2 * np.pi * 3.0
    # kd + h kp / 2 < 2 I / h
    expected = 2 * WRIST / 1e-3 / (2 * omega + 0.5e-3 * omega**2)
    assert 0.9 * expected < most <= expected
    assert tiny(3.0, most).servo_gains()["wrist"] == (3.0, most)


def test_where_the_floor_is_no_matter_the_frequency_is_told(tiny):
    with pytest.raises(BackbeatError, match="a `frequency` of at most") as e:
        tiny(500.0, 0.0)
    most = float(str(e.value).rpartition("at most ")[2])
    tiny(most, 0.0)
    with pytest.raises(BackbeatError, match="shakes"):
        tiny(1.1 * most, 0.0)


def test_a_rotor_behind_its_gear_is_felt(tiny):
    rotor = '<drake:rotor_inertia value="1e-6"/><drake:gear_ratio value="50"/>'
    tiny(3.0, 0.01, rotor)
    with pytest.raises(BackbeatError, match=r"an inertia of 0\.0025 kg") as e:
        tiny(3.0, 1.0, rotor)
    assert pytest.approx(0.0025, rel=0.01) == WRIST + REFLECTED
    assert "servo of wrist" in str(e.value)


@pytest.mark.parametrize("name", ["atlas", "atlas_hands", "atlas_v3", "ur10"])
def test_what_ships_holds(name):
    RobotModel(name)
