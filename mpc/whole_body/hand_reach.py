"""Arms of a tick's target, moved by the offsets of hands."""

from collections.abc import Mapping

import numpy as np

from backbeat.mpc.plans.hand_offset import MOST_SPEED, NOTHING, ArmReach
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.whole_body.memory import WholeBodyMemory
from backbeat.mpc.whole_body.programs.arguments import Target


class HandReach:
    """Moves arms of one target; equal calls, equal answers."""

    def __init__(self, reference: Reference, target: Target, period: float) -> None:
        """Takes a target.

        Args:
            reference: the behavior.
            target: what every call moves arms of.
            period: time between ticks [s].
        """
        self._reference, self._target, self._period = reference, target, period
        self._arms: dict[str, ArmReach] = {}

    def __call__(
        self,
        sample: ReferenceSample,
        hands: Mapping[str, np.ndarray],
        memory: WholeBodyMemory,
    ) -> dict[str, np.ndarray]:
        """Moves the target's arms to where hands shall be; what their joints add.

        Args:
            sample: the behavior at the tick.
            hands: (3,) how far from where the behavior has them hands shall be, in
                world axes [m], by name.
            memory: of the tick before.

        Returns:
            (n,) angles that the joints of an arm add [rad], by name of the hand.
        """
        found, target, T = {}, self._target, self._period
        for part in sorted({*hands, *memory.reach}):
            if part not in self._arms:
                robot, points = self._reference.robot, self._reference.points
                self._arms[part] = ArmReach(robot, part, points)
            arm, offset = self._arms[part], hands.get(part, np.zeros(3))
            before = memory.reach.get(part, np.zeros(len(arm.joints)))
            reach, moved, by = arm.step(sample.q, offset, before, MOST_SPEED * T)
            if not offset.any() and np.abs(reach).max() < NOTHING:
                continue
            found[part] = reach
            target.joints[0, arm.joints] += reach
            target.joints[1, arm.joints] += (reach - before) / T
            target.point[0, arm.points] += moved
            target.point[1, arm.points] += by / T
        return found
