"""Kinematic preview: targets of a plan, without forces, while it is being solved.

Joints follow their targets, the pelvis rises and sinks with the center of mass, and
inverse kinematics puts the feet where the plan has them. Balance, speeds and collisions
are not checked.
"""

import numpy as np
import scipy
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem
from backbeat.optimization.transcription.transcribe import Transcription

# Steps at each stiffness of inverse kinematics: the last picture is a good start. After
# a leap of time longer than this [s] it is none.
STEPS, LEAP = 2, 0.2


class KinematicPreview:
    """A plan's targets as configurations at any time."""

    def __init__(self, transcription: Transcription) -> None:
        """Reads the targets of a problem, or its guess where it brings one.

        Args:
            transcription: the problem, whose robot has a free base.
        """
        problem = transcription.problem
        self._times, self._problem = problem.times, problem
        self._program = transcription.program
        self._q = problem.q_start.copy()
        self._com_start = Configuration(problem.robot, self._q).center_of_mass
        self._ik, self._t = InverseKinematics(problem.robot), -np.inf
        feet = [c for c in transcription.contacts if c in problem.robot.soles]
        frames = dict.fromkeys([*feet, problem.robot.base_name])
        self._paths = {}
        for name in frames:
            if name in transcription.frames:
                slot = transcription.frames.index(name)
                path = _path(transcription, slot)
                if path is not None:
                    self._paths[name] = path

    def configuration(self, t: float) -> np.ndarray:
        """(nq,) configuration by the plan's targets at a time [s]."""
        robot, program = self._problem.robot, self._program
        t = float(np.clip(t, 0.0, self._times[-1]))
        if t == self._t:
            return self._q
        leaps = abs(t - self._t) > LEAP
        posture = _mixed(t, self._times, program.posture)
        com = _mixed(t, self._times, program.com_target)
        if not program.com_weight.any():
            com = self._com_start
        base, nq = robot.base_name, robot.base_positions
        near = np.r_[self._problem.q_start[:nq], posture]
        near[4:nq] += com - self._com_start
        targets = {
            name: IKTarget(path(t))
            for name, path in self._paths.items()
            if name != base
        }
        pelvis = RigidTransform(near[4:nq])
        if base in self._paths:
            pelvis.set_rotation(self._paths[base](t).rotation())
            turn = pelvis.rotation().ToQuaternion().wxyz()
            near[:4] = turn if turn @ self._q[:4] >= 0 else -turn
        targets[base] = IKTarget(pelvis, "rx ry rz z")
        steps = 5 * STEPS if leaps else STEPS
        found = self._ik.solve(near, targets, com[:2], self._q, steps)
        self._q, self._t = found.q, t
        return found.q


class GuessPreview:
    """The guess of a problem as configurations at any time."""

    def __init__(self, problem: TrajectoryProblem) -> None:
        """Takes a problem that has a guess."""
        assert problem.guess is not None
        self._times, self._guess = problem.times, problem.guess
        self._floating = problem.robot.floating

    def configuration(self, t: float) -> np.ndarray:
        """(nq,) the guess at a time [s]."""
        q = _mixed(float(np.clip(t, 0.0, self._times[-1])), self._times, self._guess)
        if self._floating:
            q[:4] /= np.linalg.norm(q[:4])
        return q


class _Path:
    """Poses between those at some times."""

    def __init__(self, times: np.ndarray, R: np.ndarray, p: np.ndarray) -> None:
        self._times, self._p = times, p
        self._turn = None
        if len(times) > 1:
            rotations = scipy.spatial.transform.Rotation.from_matrix(R)
            self._turn = scipy.spatial.transform.Slerp(times, rotations)
        self._R = R[0]

    def __call__(self, t: float) -> RigidTransform:
        t = float(np.clip(t, self._times[0], self._times[-1]))
        R = self._R if self._turn is None else self._turn(t).as_matrix()
        p = [np.interp(t, self._times, column) for column in self._p.T]
        return RigidTransform(RotationMatrix(R), p)


def _path(transcription: Transcription, slot: int) -> _Path | None:
    """Target position of a frame; None without one."""
    program = transcription.program
    used = np.flatnonzero(program.frame_used[:, slot])
    if len(used) == 0:
        return None
    times = transcription.problem.times[used]
    return _Path(times, program.R_WG[used, slot], program.p_WG[used, slot])


def _mixed(t: float, times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Between two rows, linearly."""
    k = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2))
    u = (t - times[k]) / (times[k + 1] - times[k])
    return np.asarray((1 - u) * values[k] + u * values[k + 1])
