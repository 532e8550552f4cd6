"""Frames that ride on the bodies of a robot, and patches that carry it."""

from dataclasses import dataclass

import numpy as np

from backbeat.models.dynamics.rolling import FLAT

# Half width over which a sole that rolls bears a moment [m]: it stands on a line, which
# solvers with interior points need to be a little wide.
LINE = 1e-3


@dataclass(frozen=True)
class Frame:
    """A frame that rides on a body of the fused model.

    Attributes:
        name: its name in the URDF or the robot YAML.
        body: index of the fused body, 0 = base.
        R_PF: (3, 3) rotation in that body.
        p_PF: (3,) position in that body [m].
    """

    name: str
    body: int
    R_PF: np.ndarray
    p_PF: np.ndarray

    @staticmethod
    def on(body: int, p_PF: np.ndarray) -> "Frame":
        """A frame without a name at a point (3,) of a body [m], with its axes."""
        return Frame("", body, np.eye(3), np.ascontiguousarray(p_PF))


@dataclass(frozen=True)
class ContactFrame:
    """A patch that can carry a wrench; a point when both half sizes are zero.

    Attributes:
        frame: patch frame C, origin at the patch center, z out of the support.
        half_length: half size along x [m].
        half_width: half size along y [m].
        limb: indices (in joint order) of the joints between base and patch.
        rolls: whether it rolls about its length where it stands, for its leg has no
            joint of its own for that; see `backbeat.models.dynamics.rolling`.
    """

    frame: Frame
    half_length: float
    half_width: float
    limb: np.ndarray
    rolls: bool = False

    @property
    def is_point(self) -> bool:
        """Whether the patch carries a pure force."""
        return self.half_length == 0 and self.half_width == 0

    @property
    def rolled_width(self) -> float:
        """Half width at which it touches when rolled [m]; `FLAT` if it does not."""
        return self.half_width if self.rolls else FLAT

    @property
    def bearing(self) -> tuple[float, float]:
        """Half sizes along x and y over which it bears moments [m]."""
        return self.half_length, LINE if self.rolls else self.half_width

    @property
    def held_axes(self) -> str:
        """What of its pose stays while it stands, as axes of a task."""
        if self.is_point:
            return "x y z"
        return "ry rz x y z" if self.rolls else "rx ry rz x y z"

    def corners(self) -> np.ndarray:
        """(4 or 1, 3) patch corners in the patch frame [m]."""
        if self.is_point:
            return np.zeros((1, 3))
        x, y = self.half_length, self.half_width
        return np.array([[x, y, 0], [x, -y, 0], [-x, -y, 0], [-x, y, 0]])
