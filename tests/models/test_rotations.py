"""Rotations and steps on the configuration manifold."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from pydrake.common.eigen_geometry import AngleAxis, Quaternion
from pydrake.math import RotationMatrix

from backbeat.models.dynamics import rotations
from tests.tolerances import EXACT, FINITE_DIFFERENCE, HALF_TURN, ROTATION

vectors = arrays(float, 3, elements=st.floats(-10, 10))
# From far below the series' thresholds to almost half a turn.
angles = st.one_of(st.floats(1e-12, 1e-3), st.floats(1e-3, np.pi - 1e-4))


@st.composite
def rotation_vectors(draw):
    axis = draw(vectors)
    assume(np.linalg.norm(axis) > 1e-3)
    return draw(angles) * axis / np.linalg.norm(axis)


@st.composite
def quaternions(draw):
    q = draw(arrays(float, 4, elements=st.floats(-1, 1)))
    assume(np.linalg.norm(q) > 1e-2)
    return q / np.linalg.norm(q)


def exp(phi):
    R = np.zeros((3, 3))
    rotations.rotation_exp(phi, R)
    return R


def log(R, T):
    phi = np.zeros(3)
    rotations.relative_log(R, T, phi)
    return phi


@given(rotation_vectors())
def test_exp_is_drakes_and_log_is_its_inverse(phi):
    angle = np.linalg.norm(phi)
    expected = RotationMatrix(AngleAxis(angle, phi / angle)).matrix()
    assert_allclose(exp(phi), expected, rtol=0, atol=EXACT)
    # The axis of almost half a turn is known to the root of the rounding.
    assert_allclose(log(exp(phi), np.eye(3)), phi, rtol=0, atol=ROTATION)
    base = exp(np.array([0.3, -1.2, 2.0]))
    assert_allclose(log(exp(phi) @ base, base), phi, rtol=0, atol=ROTATION)


@pytest.mark.parametrize("short", [0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3])
@pytest.mark.parametrize("axis", [*np.eye(3), [0.6, 0.0, -0.8], [0.48, -0.6, 0.64]])
def test_log_of_half_a_turn_has_the_right_axis(axis, short):
    phi = (np.pi - short) * np.array(axis)
    found = log(exp(phi), np.eye(3))
    assert np.linalg.norm(found) == pytest.approx(np.pi - short, abs=HALF_TURN)
    assert_allclose(exp(found), exp(phi), rtol=0, atol=HALF_TURN)


@given(quaternions())
def test_quaternions_are_drakes(q):
    R = np.zeros((3, 3))
    rotations.quaternion_to_matrix(q, R)
    expected = RotationMatrix(Quaternion(q)).matrix()
    assert_allclose(R, expected, rtol=0, atol=EXACT)
    rotations.quaternion_to_matrix(-3.0 * q, R)
    assert_allclose(R, expected, rtol=0, atol=EXACT)


@given(rotation_vectors())
def test_left_jacobian_is_the_derivative_of_exp(phi):
    """exp(phi + d) = exp(J d) exp(phi) to first order."""
    J, inverse, right = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    rotations.left_jacobian(phi, J)
    rotations.left_jacobian_inverse(phi, 1.0, inverse)
    rotations.left_jacobian_inverse(phi, -1.0, right)
    step, columns = 1e-4, []
    for d in np.eye(3):
        near, far = (
            log(exp(phi + s * step * d), exp(phi))
            - log(exp(phi - s * step * d), exp(phi))
            for s in (1, 2)
        )
        columns.append((8 * near - far) / (12 * step))
    assert_allclose(J, np.array(columns).T, rtol=0, atol=FINITE_DIFFERENCE)
    assert_allclose(J @ inverse, np.eye(3), rtol=0, atol=ROTATION)
    # The right Jacobian is the left one of the opposite rotation.
    assert_allclose(right, inverse.T, rtol=0, atol=EXACT)


@given(quaternions(), rotation_vectors(), vectors, st.integers(0, 4))
def test_steps_on_the_manifold_lead_back(quaternion, phi, p, joints):
    rng = np.random.default_rng(joints)
    q = np.r_[quaternion, p, rng.normal(size=joints)]
    d = np.r_[phi, rng.normal(size=3 + joints)]
    there, back = np.zeros_like(q), np.zeros_like(d)
    rotations.box_plus(q, d, 0.5, True, there)
    assert np.linalg.norm(there[:4]) == pytest.approx(1.0, abs=EXACT)
    rotations.box_minus(there, q, True, back)
    assert_allclose(back, 0.5 * d, rtol=0, atol=ROTATION)
    # The other sign of a quaternion is the same place.
    there[:4] *= -1
    rotations.box_minus(there, q, True, back)
    assert_allclose(back, 0.5 * d, rtol=0, atol=ROTATION)


@given(quaternions(), rotation_vectors())
def test_base_rotations_are_in_world_axes(quaternion, phi):
    q, d = np.r_[quaternion, np.zeros(3)], np.r_[phi, np.zeros(3)]
    rotations.box_plus(q, d, 1.0, True, q)  # in place
    expected = exp(phi) @ RotationMatrix(Quaternion(quaternion)).matrix()
    found = RotationMatrix(Quaternion(q[:4] / np.linalg.norm(q[:4]))).matrix()
    assert_allclose(found, expected, rtol=0, atol=EXACT)


def test_a_fixed_base_adds():
    q, d, out = np.array([1.0, 2.0]), np.array([0.3, -0.4]), np.zeros(2)
    rotations.box_plus(q, d, 2.0, False, out)
    assert_allclose(out, q + 2 * d)
    rotations.box_minus(out, q, False, d)
    assert_allclose(d, out - q)
