"""Reference: a behavior as a function of phase, ready for the controllers.

Phase is time at the authored tempo [s]. Before the start and after the end the
reference stands still. Columns are interpolated on the behavior's own grid:
positions by cubic Hermite polynomials, all else linearly, and never across an
impact, where the left and the right limit are both on the grid.
"""

from copy import copy

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.errors import BackbeatError
from backbeat.models.compiled.bound import bind
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.reference.sampling import (
    ReferenceSample,
    ReferenceSampler,
    locate_all,
)
from backbeat.mpc.reference.scale import body_scale
from backbeat.mpc.reference.table import ReferenceTable, make_table


def _gaps(t: np.ndarray, on: np.ndarray) -> np.ndarray:
    """(K, 2) start and end of the stretches of time in which something is off."""
    change = np.flatnonzero(np.diff(on.astype(np.int8)))
    # The sample on a switch is still on, or on again.
    edges = np.where(on[change], t[change], t[change + 1])
    if not on[0]:
        edges = np.r_[t[0], edges]
    if not on[-1]:
        edges = np.r_[edges, t[-1]]
    return edges.reshape(-1, 2)


def patch_names(behavior: Behavior) -> tuple[str, ...]:
    """Contacts of a behavior that can carry weight, in the order of plans."""
    contacts = behavior.robot_model.contacts
    patches = [n for n in behavior.motion.contacts if not contacts[n].is_point]
    # A seat has no limb, and such contacts come last.
    return tuple(sorted(patches, key=lambda n: len(contacts[n].limb) == 0))


def check_flat(reference: "Reference", what: str, advice: str) -> None:
    """Refuses behaviors whose feet roll over heel and toe.

    Args:
        reference: the behavior.
        what: controls it, and has feet that are flat alone.
        advice: what to do instead.

    Raises:
        BackbeatError: it has a foot on an edge.
    """
    if reference.table.edge.any():
        raise BackbeatError(
            f"{what} keeps feet flat, and {reference.behavior.name} rolls over heel "
            f"and toe: {advice}, or build it with 'roll: false'"
        )


class Reference:
    """A behavior to follow.

    Attributes:
        behavior: the behavior.
        robot: its robot.
        scale: of the robot, by which lengths, times and forces of controllers go.
        patches: contacts that can carry the robot's weight.
        points: point contacts, such as stick tips.
        soles: indices of the patches that the robot steps with; none in a behavior
            that also rests on something else, as a seat, and cannot step away from it.
        swings: (K, 2) phases of lift-off and touchdown [s] of each patch.
        table: the motion as arrays.
        heading: (M, 2, 2) forward and left of the first sole, x and y without one.
        duration: length [s].
        bound: table and heading for compiled functions.
        sole_indices: `soles` as an array.
        sample_at: samples it again and again, without memory of its own for each.
    """

    def __init__(self, behavior: Behavior) -> None:
        """Prepares a behavior: what the tick would compute from q is stored."""
        self.behavior = behavior
        self.robot: RobotModel = behavior.robot_model
        self.scale = body_scale(self.robot)
        self.patches = patch_names(behavior)
        self.points = tuple(n for n, c in self.robot.contacts.items() if c.is_point)
        soles = [i for i, n in enumerate(self.patches) if n in self.robot.soles]
        self.soles = tuple(soles) if len(soles) == len(self.patches) else ()
        self.sole_indices = np.array(self.soles, int)
        table = make_table(behavior, self.patches, self.points)
        self._take(table, behavior.duration)

    def _take(self, table: ReferenceTable, duration: float) -> None:
        """Takes a table, and what follows from it."""
        self.table, self.duration = table, duration
        self.heading, self.sample_at = self._headings(), self.sampler()
        self.swings = tuple(
            _gaps(table.t, table.standing[:, c]) for c in range(len(self.patches))
        )
        self.bound = bind((table, self.heading))

    def along(self, table: ReferenceTable, duration: float) -> "Reference":
        """The same behavior along another motion.

        Args:
            table: the motion, with the same contacts.
            duration: phase after which it rests [s].
        """
        other = copy(self)
        other._take(table, duration)
        return other

    def _headings(self) -> np.ndarray:
        heading = np.tile(np.eye(2), (len(self.table.t), 1, 1))
        if self.soles:
            forward = self.table.R_contact[:, self.soles[0], :2, 0]
            length = np.maximum(np.linalg.norm(forward, axis=1), 1e-6)
            heading[:, 0] = forward / length[:, None]
            heading[:, 1, 0], heading[:, 1, 1] = -heading[:, 0, 1], heading[:, 0, 0]
        return heading

    def sample(self, s: float) -> ReferenceSample:
        """The reference at phase s; at rest outside the behavior."""
        return self.sampler()(s)

    def sampler(self) -> ReferenceSampler:
        """Samples again and again, without memory of its own for each."""
        return ReferenceSampler(self.table, self.duration, self.robot.floating)

    def grid(self, phases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Grid indices and shares of many phases, for vectorized interpolation."""
        return locate_all(self.table.t, phases)
