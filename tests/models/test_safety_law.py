"""The safety law of a URDF joint, by what it is for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.models.actuation.safety_law import SafetyLaw, read_safety_law
from backbeat.models.common.errors import BackbeatError

LAW = SafetyLaw("hinge", -1.0, 1.0, 3.0, 40.0, -0.9, 0.8, 10.0, 5.0)
JOINT = """
<robot name="r"><link name="a"/><link name="b"/>
  <joint name="hinge" type="revolute"><parent link="a"/><child link="b"/>
    {limit}
    {safety}
  </joint></robot>
"""
LIMIT = '<limit lower="-1" upper="1" velocity="3" effort="40"/>'
SAFETY = (
    '<safety_controller soft_lower_limit="-0.9" soft_upper_limit="0.8" '
    'k_position="10" k_velocity="5"/>'
)


@pytest.fixture
def urdf(tmp_path):
    def write(limit=LIMIT, safety=SAFETY):
        path = tmp_path / "robot.urdf"
        path.write_text(JOINT.format(limit=limit, safety=safety))
        return path

    return write


@given(q=st.floats(-3, 3), v=st.floats(-9, 9))
def test_bounds_are_ordered_and_within_the_limits(q, v):
    for (low, high), most in (
        (LAW.velocity_bounds(q), LAW.velocity),
        (LAW.effort_bounds(q, v), LAW.effort),
    ):
        assert -most <= low <= high <= most


def test_at_a_soft_limit_one_may_stop_but_not_go_on():
    assert LAW.velocity_bounds(0.8)[1] == pytest.approx(0.0)
    assert LAW.velocity_bounds(-0.9)[0] == pytest.approx(0.0)
    low, high = LAW.velocity_bounds(0.0)
    assert (low, high) == (-3.0, 3.0)


def test_a_joint_driven_at_its_stop_does_not_reach_it():
    """1 kg m^2 under full torque towards the upper limit, explicit steps of 1 ms."""
    for bounded, reaches in ((True, False), (False, True)):
        q, v = 0.0, 0.0
        farthest = 0.0
        for _ in range(3000):
            torque = LAW.effort
            if bounded:
                torque = float(np.clip(torque, *LAW.effort_bounds(q, v)))
            v += 1e-3 * torque
            q += 1e-3 * v
            farthest = max(farthest, q)
        assert (farthest > LAW.upper) is reaches


def test_reads_what_the_file_says(urdf):
    assert read_safety_law(urdf(), "hinge") == LAW
    # Left out, soft limits and k_position are zero.
    bare = read_safety_law(urdf(safety='<safety_controller k_velocity="5"/>'), "hinge")
    assert (bare.soft_lower, bare.soft_upper, bare.k_position) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("changes", "joint", "sentence"),
    [
        ({}, "hinges", "did you mean hinge"),
        ({"safety": ""}, "hinge", "has no <safety_controller>"),
        ({"limit": ""}, "hinge", "has no <limit>"),
        ({"safety": '<safety_controller k_position="1"/>'}, "hinge", "a k_velocity"),
        ({"safety": '<safety_controller k_velocity="x"/>'}, "hinge", "is no number"),
        ({"limit": "<limit"}, "hinge", "not valid XML"),
    ],
)
def test_refuses_what_it_cannot_use(urdf, changes, joint, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        read_safety_law(urdf(**changes), joint)
