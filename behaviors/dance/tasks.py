"""Tasks of a dance: center of mass, pelvis and joints follow the moves."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from backbeat.behaviors.dance.arrangement import (
    PlacedMove,
    channel_offsets,
    state_offsets,
)
from backbeat.behaviors.dance.vocabulary.channels import joint_offsets, mirrored
from backbeat.behaviors.dance.vocabulary.move import Offsets
from backbeat.behaviors.footsteps.rest_height import rest_lowering
from backbeat.behaviors.footsteps.specification import Walker
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.tasks import CenterOfMassTask, FrameTask, PostureTask
from backbeat.optimization.problem.trajectory_problem import Task

# Costs per second: of the center of mass, of joints above and below the hips, and of
# the pelvis' orientation.
COM = (400.0, 1000.0, 1000.0)
OTHERS, LEGS, PELVIS = 20.0, 0.2, 40.0
# And while a move has them. What a move does once a beat has accelerations a hundred
# times its size, and costs as small as those above buy less than half of it.
COM_MOVED, MOVED, PELVIS_MOVED = (10000.0, 10000.0, 20000.0), 2000.0, 2000.0
# Of the center of mass where feet move, and of its height about a jump.
COM_STEPPING, HEIGHT_FLYING = (20.0, 20.0, 400.0), 40.0
# Of the center of mass where a recording says where it is while feet move.
COM_LED = (10000.0, 10000.0, 20000.0)
# Beats about a step in which the steps decide; and about a jump, before and after.
NEAR, PUSH, LAND = 0.5, 1.25, 1.25
# Factor on the costs of a move that is tracked stiffly; a soft one has its inverse.
STIFF = 10.0
# Distance that targets keep from joint stops [rad].
STOP = 0.05


class DanceTasks:
    """What the body of one dance does besides stepping."""

    def __init__(
        self,
        robot: RobotModel,
        q_start: np.ndarray,
        placed: Sequence[PlacedMove],
        beats: np.ndarray,
    ) -> None:
        """Sums up the moves.

        Args:
            robot: model of the robot.
            q_start: (nq,) where everything is added to.
            placed: the moves.
            beats: (N,) beat of each knot.
        """
        self.robot, self.q_start, self.beats = robot, q_start, beats
        self.knots = np.arange(len(beats))
        self.offsets = state_offsets(placed, beats)
        # Where moves have each channel, and the power of ten of the factor on its cost.
        self._moved: dict[str, np.ndarray] = {}
        self._power: Offsets = {}
        self._share: Offsets = {}
        # Knots at which the moves that step say where the body is.
        self._led = np.zeros(len(beats), bool)
        self._leads = np.zeros(len(beats))
        for p in placed:
            for channel, offset in channel_offsets(p, beats, robot).items():
                self.offsets[channel] = self.offsets.get(channel, 0.0) + offset
            self._add_tracking(p)

    def _add_tracking(self, p: PlacedMove) -> None:
        inside = (self.beats >= p.rise[0]) & (self.beats <= p.fall[1])
        robot, N = self.robot, len(self.beats)
        channels = joint_offsets({n: np.ones(1) for n in p.move.curves}, robot)
        for channel in mirrored(channels, robot) if p.mirror else channels:
            self._moved.setdefault(channel, np.zeros(N, bool))[inside] = True
            total = self._power.setdefault(channel, np.zeros(N))
            total[inside] = np.clip(total[inside] + 2 * p.tracking - 1, -1, 1)
        shares = {n: np.array([x]) for n, x in p.move.shares.items()}
        for channel, share in (mirrored(shares, robot) if p.mirror else shares).items():
            at = self._share.setdefault(channel, np.ones(N))
            at[inside] *= np.abs(share)
        if p.move.body_steps:
            self._led |= inside
            share = p.move.leads(self.beats - p.start, p.values)
            self._leads = np.maximum(self._leads, inside * share)

    def _offset(self, channel: str) -> np.ndarray:
        return np.asarray(self.offsets.get(channel, np.zeros(len(self.beats))))

    def _cost(self, channel: str, usual: float, moved: float) -> np.ndarray:
        """(N,) cost of a channel: its usual one, and that while a move has it."""
        N = len(self.beats)
        at = self._moved.get(channel, np.zeros(N, bool))
        return np.asarray(np.where(at, moved, usual) * self._factor(channel))

    def _factor(self, channel: str) -> np.ndarray:
        power = self._power.get(channel, np.zeros(len(self.beats)))
        return np.asarray(STIFF**power * self._share.get(channel, 1.0))

    def _com_costs(self) -> np.ndarray:
        """(N, 3) costs of the center of mass, feet standing."""
        costs = zip("xyz", COM, COM_MOVED, strict=True)
        return np.stack([self._cost(f"com.{a}", u, m) for a, u, m in costs], axis=1)

    def standing(self, feet: Mapping[str, RigidTransform]) -> list[Task]:
        """All tasks of a dance whose feet stay."""
        middle = np.mean([X.translation() for X in feet.values()], axis=0)
        com = np.tile(self._com(), (len(self.beats), 1))
        com[:, :2] = middle[:2]
        com += self._com_offsets()
        return [
            CenterOfMassTask(self.knots, com, self._com_costs()),
            *self._joints(),
            *self._pelvis(np.zeros(len(self.beats))),
        ]

    def stepping(
        self, walker: Walker, flights: Sequence[tuple[int, int]]
    ) -> list[Task]:
        """All tasks besides those of feet in the air.

        Args:
            walker: the steps.
            flights: first and last knot of every jump.
        """
        middle, yaw, _ = walker.prints.body()
        c, s, own = np.cos(yaw), np.sin(yaw), self._com_offsets()
        x, y = own[:, 0].copy(), own[:, 1].copy()
        own[:, 0], own[:, 1] = c * x - s * y, s * x + c * y
        com = middle + [0.0, 0.0, self._com()[2]] + own
        if self._led.any():
            # Where a recording does not say how high the body is, its legs do.
            rest = 1.0 - self._leads
            com[:, 2] -= rest * rest_lowering(self.robot, walker.prints, self.q_start)
        weight = self._weights(walker, flights)
        return [
            CenterOfMassTask(self.knots, com, weight),
            *self._joints(),
            *self._pelvis(yaw),
        ]

    def _weights(
        self, walker: Walker, flights: Sequence[tuple[int, int]]
    ) -> np.ndarray:
        """(N, 3) costs of the center of mass: small where feet move or fly."""
        weight = self._com_costs()
        factor = np.stack([self._factor(f"com.{a}") for a in "xyz"], axis=1)
        for i, step in enumerate(walker.specification.steps):
            if step.feet != "both":
                start, end = walker.prints.starts[i], walker.prints.starts[i + 1]
                near = self._about(start, end, NEAR, NEAR)
                weight[near] = COM_STEPPING * factor[near]
                led = near & self._led
                weight[led] = COM_LED * factor[led]
        for start, end in flights:
            # A recording has the height of its jump.
            near = self._about(start, end, PUSH, LAND) & ~self._led
            weight[near, 2] = HEIGHT_FLYING * factor[near, 2]
        return weight

    def _about(self, start: int, end: int, before: float, after: float) -> np.ndarray:
        beats = self.beats
        return np.asarray(
            (beats >= beats[start] - before) & (beats <= beats[end] + after)
        )

    def guess(self, walker: Walker) -> np.ndarray:
        """(N, nq) the start posture, taken along by the steps."""
        middle, yaw, _ = walker.prints.body()
        q = np.tile(self.q_start, (len(self.beats), 1))
        turn = np.zeros((len(yaw), 4))
        turn[:, 0], turn[:, 3] = np.cos(0.5 * yaw), np.sin(0.5 * yaw)
        w, x, y, z = self.q_start[:4]
        q[:, 0] = turn[:, 0] * w - turn[:, 3] * z
        q[:, 1] = turn[:, 0] * x - turn[:, 3] * y
        q[:, 2] = turn[:, 0] * y + turn[:, 3] * x
        q[:, 3] = turn[:, 0] * z + turn[:, 3] * w
        c, s, (px, py) = np.cos(yaw), np.sin(yaw), self.q_start[4:6]
        q[:, 4] = middle[:, 0] + c * px - s * py
        q[:, 5] = middle[:, 1] + s * px + c * py
        return q

    def _com(self) -> np.ndarray:
        return Configuration(self.robot, self.q_start).center_of_mass

    def _com_offsets(self) -> np.ndarray:
        return np.stack([self._offset(f"com.{a}") for a in "xyz"], axis=1)

    def _pelvis(self, yaw: np.ndarray) -> Iterator[Task]:
        """The pelvis' orientation: level, and turned by the steps and the moves."""
        turns = [self._offset(f"pelvis.r{a}") for a in "xyz"]
        costs = [self._cost(f"pelvis.r{a}", PELVIS, PELVIS_MOVED) for a in "xyz"]
        cost = np.max(costs, axis=0)
        base = self.robot.base_name
        if not (np.any(turns) or np.any(yaw)):
            yield FrameTask(
                base, self.knots, RigidTransform(), "rx ry rz", weight=PELVIS
            )
            return
        for value in np.unique(cost):
            at = np.flatnonzero(cost == value)
            targets = [
                RigidTransform(
                    RotationMatrix(RollPitchYaw(0.0, 0.0, yaw[k]))
                    @ RotationMatrix(RollPitchYaw(*(t[k] for t in turns))),
                    np.zeros(3),
                )
                for k in at
            ]
            yield FrameTask(base, at, targets, "rx ry rz", weight=float(value))

    def _joints(self) -> Iterator[Task]:
        """Costs of joint angles, each with the tracking of its moves."""
        robot = self.robot
        N, nj = len(self.beats), robot.num_joints
        path = np.tile(self.q_start[robot.base_positions :], (N, 1))
        weight = np.full((N, nj), OTHERS)
        weight[:, robot.leg_joints] = LEGS
        for j, name in enumerate(robot.joint_names):
            if name in self.offsets:
                low, high = robot.position_lower[j], robot.position_upper[j]
                path[:, j] = np.clip(
                    path[:, j] + self.offsets[name], low + STOP, high - STOP
                )
            if name in self._moved:
                weight[:, j] = self._cost(name, float(weight[0, j]), MOVED)
        for value in np.unique(weight)[::-1]:
            groups: dict[bytes, list[int]] = {}
            for j in range(nj):
                at = weight[:, j] == value
                if at.any():
                    groups.setdefault(at.tobytes(), []).append(j)
            for key, joints in groups.items():
                at = np.flatnonzero(np.frombuffer(key, bool))
                target = path[at][:, joints]
                yield PostureTask(np.array(joints), at, target, float(value))
