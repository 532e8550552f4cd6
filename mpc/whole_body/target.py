"""The target of a tick: the behavior, retimed, plus what the plan adds."""

import numpy as np

from backbeat.models.compiled.bound import bind
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.stepping import change_standing
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.whole_body.programs.arguments import Target
from backbeat.mpc.whole_body.target_filling import TargetParts, fill, move_sole


class TargetWriter:
    """Writes a target from a sample of the behavior and a plan.

    Rates of the behavior are per phase: with phase rate r, velocities scale by r
    and accelerations by r^2. What the plan turns the body by is added to the motion of
    base and trunk: without it their damping would be against the angular momentum of
    the plan.
    """

    def __init__(
        self, target: Target, sample: ReferenceSample, reference: Reference
    ) -> None:
        """Writes into `target` from whatever is in `sample`.

        Args:
            target: written.
            sample: the behavior at the phase of the tick.
            reference: the behavior.
        """
        C, robot = len(reference.patches), reference.robot
        # Patches that have landed elsewhere than the behavior lands them, and where.
        self.is_elsewhere, self.places = np.zeros(C, bool), np.zeros((C, 3))
        self.parts = TargetParts(
            target=target,
            sample=sample,
            is_elsewhere=self.is_elsewhere,
            elsewhere=self.places,
            soles=np.array(reference.soles, np.int64),
            mass=robot.total_mass,
            gravity=robot.gravity,
            floating=robot.floating,
        )
        self._bound = bind(self.parts)
        self._target, self._may_step = target, target.may_step

    def write(self, plan: Plan, t: float, rate: float) -> None:
        """Writes the target of a tick at time t.

        Args:
            plan: the plan.
            t: time [s].
            rate: its phase rate then [-].
        """
        self.note(plan)
        since = max(0.0, t - plan.time)
        fill(self._bound, plan.bound, rate, since, plan.ground)

    def note(self, plan: Plan) -> None:
        """Notes where a plan has patches, and whether they may step."""
        self.is_elsewhere[:] = False
        self._may_step[0] = plan.may_step
        for touchdown in plan.touchdowns:
            self.is_elsewhere[touchdown.contact] = True
            self.places[touchdown.contact] = touchdown.place

    def move_soles(self, plan: Plan, s: float, rate: float) -> None:
        """Writes the plan's changes of the soles: which stand, and their paths.

        Args:
            plan: the plan.
            s: phase of the tick [s].
            rate: phase rate then [-].
        """
        target = self._target
        change_standing(target.standing, s, plan.changes)
        for touchdown in plan.touchdowns:
            if touchdown.stands and touchdown.start <= s < touchdown.end:
                target.contact_motion[:, touchdown.contact] = 0.0
        for swing in plan.swings:
            if swing.is_under_way(s):
                move_sole(self._bound, swing.contact, swing.offset(s), rate)
