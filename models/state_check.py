"""Whether what somebody says of a robot can be a state of it."""

import numpy as np

# What no robot's place [m], joint angle [rad] or velocity [m/s, rad/s] reaches; from
# far larger numbers on, their squares are numbers no more.
MOST = 1e4
# How far the squared length of the base's quaternion may be from one: nothing at all is
# said by one of zeros, which is what estimators send before they have begun.
MOST_STRETCH = 0.2


def is_state(q: np.ndarray, v: np.ndarray, floating: bool) -> bool:
    """Whether positions and velocities are of finite, possible size.

    Args:
        q: (nq,) configuration, of a floating base first the quaternion wxyz.
        v: (nv,) velocity.
        floating: whether the base floats.
    """
    # Not `max > MOST`: nothing is larger than what is no number.
    if not (np.abs(q).max(initial=0.0) <= MOST and np.abs(v).max(initial=0.0) <= MOST):
        return False
    return not floating or bool(abs(q[:4] @ q[:4] - 1.0) <= MOST_STRETCH)
