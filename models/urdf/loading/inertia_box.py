"""The box with the mass and the moments of inertia of a link."""

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from backbeat.models.urdf.checks.inertia import inertia_matrix
from backbeat.models.urdf.reading.description import Inertial


def inertia_box(
    inertial: Inertial | None,
) -> tuple[np.ndarray, RigidTransform] | None:
    """(3,) edges [m] and pose X_LB in the link of the box with an inertia.

    It is homogeneous, and has mass and principal moments of the link. None where these
    are none of a body.
    """
    if inertial is None or not inertial.mass or inertial.mass < 0:
        return None
    moments, axes = np.linalg.eigh(inertia_matrix(inertial))
    with np.errstate(over="ignore", invalid="ignore"):
        squares = 6.0 * (moments.sum() - 2.0 * moments) / inertial.mass
    if not ((squares > 0) & np.isfinite(squares)).all():
        return None
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1.0
    X_LI = RigidTransform(RollPitchYaw(inertial.origin.rpy), inertial.origin.xyz)
    return np.sqrt(squares), X_LI @ RigidTransform(RotationMatrix(axes), np.zeros(3))
