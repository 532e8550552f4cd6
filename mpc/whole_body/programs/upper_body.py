"""UpperBody: joints above the legs by task space while the rest balances and walks.

    above     the law of `backbeat.mpc.task_space.law` on a model without legs, whose
              base is moved: its pose and velocity are sensed, its acceleration is that
                  which
              the last whole-body tick has made
    below     the whole-body program, which gets the positions of the joints above and
    how
              they will accelerate, and finds what legs have to do about it

So each half has its own controller, and the lower one is never surprised by the upper
one. The arm that has no target, neck and back go after the behavior's own posture, in
what the hand leaves of them.

Sentis, "Synthesis and Control of Whole-Body Behaviors in Humanoid Systems", 2007.
"""

import numpy as np

from backbeat.models.actuation.joint_command import BLOCKS, EFFORT, FEEDFORWARD
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.task_space.law import TaskSpaceLaw, TaskSpaceSettings
from backbeat.mpc.whole_body.programs.arguments import Target

# How much the accelerations of the joints above count in the whole-body program, so
# that it takes them as they are.
GIVEN_WEIGHT = 1e3


class UpperBody:
    """What joints above the legs do, as a pure function but for the law's workspace.

    Attributes:
        part: the hand, one of the robot's parts.
        joints: (n,) indices of the joints above the legs.
        law: what they follow.
        hand_start: (3,) where the behavior has the hand at its start [m].
    """

    def __init__(
        self,
        reference: Reference,
        part: str,
        settings: TaskSpaceSettings | None = None,
    ) -> None:
        """Makes a model of the robot without its legs.

        Args:
            reference: the behavior.
            part: the hand.
            settings: of the law.

        Raises:
            BackbeatError: the robot has no such hand or no legs, or the behavior needs
                its hands.
        """
        whole = reference.robot
        hands = [n for n, p in whole.parts.items() if p.limb and n.endswith("hand")]
        if part not in hands:
            raise unknown_name("hand", part, hands)
        if not whole.floating or not len(whole.leg_joints):
            raise BackbeatError(f"{whole.name} has no legs that could carry a hand")
        if reference.points:
            raise BackbeatError(
                f"{reference.behavior.name} has {', '.join(reference.points)} to move, "
                "for which it needs both arms; take a behavior without sticks"
            )
        self.part, names = part, whole.joint_names
        start = reference.sample(0.0).q
        held = {names[j]: float(start[7 + j]) for j in whole.leg_joints}
        robot = RobotModel(whole.description, whole.equipment, None, held)
        self.joints = np.array([whole.joint_index(n) for n in robot.joint_names])
        self._whole = whole
        frame = whole.parts[part].frame
        self.law = TaskSpaceLaw(robot, frame, settings)
        self.hand_start = self.hand_at(start)

    def hand_at(self, q: np.ndarray) -> np.ndarray:
        """(3,) place of the hand at q (nq,) of the whole robot [m]."""
        law = self.law
        law.space.state.update(self._positions(q))
        place: np.ndarray = law.hand_task.position(law.space.state)
        return place

    def _positions(self, q: np.ndarray) -> np.ndarray:
        """(n,) of the model without legs."""
        return np.concatenate([q[:7], q[7 + self.joints]])

    def direct(
        self,
        q: np.ndarray,
        v: np.ndarray,
        sample: ReferenceSample,
        target: np.ndarray,
        base_acceleration: np.ndarray | None,
        told: Target,
    ) -> np.ndarray:
        """Torques of the joints above, and their motion for the program below.

        Args:
            q, v: (nq,), (nv,) of the whole robot.
            sample: the behavior at this moment.
            target: (3, 3) place, velocity and acceleration of the hand's target.
            base_acceleration: (6,) of the pelvis; None for zero.
            told: target of the whole-body program; overwritten for the joints above.

        Returns:
            (n,) torques [N m].
        """
        law, joints = self.law, self.joints
        law.posture = sample.q[7 + joints]
        own_q = self._positions(q)
        own_v = np.concatenate([v[:6], v[6 + joints]])
        found = law(own_q, own_v, target, base_acceleration=base_acceleration)
        space = law.space_for(law.settings)
        vdot = space.outcome(found.tau, {}).vdot
        told.joints[0, joints], told.joints[1, joints] = q[7 + joints], v[6 + joints]
        told.joints[2, joints] = vdot[6:]
        return found.tau

    def take(self, command: np.ndarray, tau: np.ndarray) -> None:
        """Overwrites the joints above in a command (9 nj,) by torques (n,) alone."""
        blocks = command.reshape(BLOCKS, -1)
        blocks[:, self.joints] = 0.0
        blocks[EFFORT, self.joints], blocks[FEEDFORWARD, self.joints] = tau, 1.0
