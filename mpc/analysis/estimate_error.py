"""Error of the estimated state against the true one."""

import numpy as np

from backbeat.models.dynamics.rotations import quaternion_log
from backbeat.mpc.simulation.run import SimulationRun


def estimate_error(run: SimulationRun) -> dict[str, dict[str, float]] | None:
    """Root mean square and largest errors of an estimated state; None without one.

    Place and velocity of the base [mm, mm/s], its tilt and heading [mrad], angles
    and velocities of the joints [mrad, mrad/s], within the behavior. Tilt is the
    angle between the true and the estimated vertical.
    """
    if not run.scenario.sensing.is_estimated:
        return None
    robot = run.behavior.robot_model
    inside = run.samples_until()
    x, sensed = run.x[inside], run.sensed[inside]
    nq, nb, vb = robot.num_positions, robot.base_positions, robot.base_velocities
    difference = 1e3 * (sensed - x)
    errors = {
        "joint_position": np.abs(difference[:, nb:nq]),
        "joint_velocity": np.abs(difference[:, nq + vb :]),
    }
    if robot.floating:
        turn = np.zeros((len(x), 3))
        for phi, a, b in zip(turn, sensed, x, strict=True):
            quaternion_log(a[:4], b[:4], phi)
        errors["place"] = np.linalg.norm(difference[:, 4:7], axis=1)
        errors["height"] = np.abs(difference[:, 6])
        errors["velocity"] = np.linalg.norm(difference[:, nq + 3 : nq + 6], axis=1)
        errors["tilt"] = 1e3 * np.linalg.norm(turn[:, :2], axis=1)
        errors["heading"] = 1e3 * np.abs(turn[:, 2])
    return {
        name: {"rms": float(np.sqrt(np.mean(e**2))), "max": float(e.max())}
        for name, e in errors.items()
    }
