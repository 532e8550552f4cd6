"""Names of the entries of a robot's state, for columns of tables and for messages."""

from backbeat.models.robot.model import RobotModel

_BASE_POSITIONS = ("qw", "qx", "qy", "qz", "x", "y", "z")
_BASE_VELOCITIES = ("wx", "wy", "wz", "vx", "vy", "vz")


def position_names(robot: RobotModel, prefix: str = "q") -> list[str]:
    """(nq) names such as q.base.x and q.JOINT, in the order of q."""
    base = [f"base.{a}" for a in _BASE_POSITIONS[: robot.base_positions]]
    return [f"{prefix}.{name}" for name in (*base, *robot.joint_names)]


def velocity_names(robot: RobotModel, prefix: str = "v") -> list[str]:
    """(nv) names such as v.base.vx and v.JOINT, in the order of v."""
    base = [f"base.{a}" for a in _BASE_VELOCITIES[: robot.base_velocities]]
    return [f"{prefix}.{name}" for name in (*base, *robot.joint_names)]
