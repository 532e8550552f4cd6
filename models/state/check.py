"""Whether given positions and velocities can be a state of a robot."""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import VectorView

# What no robot's place [m], joint angle [rad] or velocity [m/s, rad/s] reaches; from
# far larger numbers on, their squares are numbers no more.
MOST = 1e4
# How far the squared length of the base's quaternion may be from one: nothing at all is
# said by one of zeros, which is what estimators send before they have begun.
MOST_STRETCH = 0.2


@compiled
def is_state(q: VectorView, v: VectorView, floating: bool) -> bool:
    """Whether positions and velocities are of finite, possible size.

    Args:
        q: (nq,) configuration, of a floating base first the quaternion wxyz.
        v: (nv,) velocity.
        floating: whether the base floats.
    """
    possible, square = True, 0.0
    # Not `> MOST`: nothing is larger than what is no number.
    for i in range(q.shape[0]):
        possible &= np.abs(q[i]) <= MOST
    for i in range(v.shape[0]):
        possible &= np.abs(v[i]) <= MOST
    if not possible or not floating:
        return possible
    for i in range(4):
        square += q[i] * q[i]
    return np.abs(square - 1.0) <= MOST_STRETCH
