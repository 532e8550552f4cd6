"""SteppingCycle: a behavior that steps in place, cut into one piece a step."""

import itertools

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.walking.leg_momentum import leg_maps
from backbeat.mpc.walking.walk import PlanarPose

# Distance between samples of a piece [s]; switches of contacts keep all of theirs.
SAMPLING = 0.015
# What feet that step in place may move and turn in a step [m, rad].
IN_PLACE = 0.05
# Angles and rates of joints above the legs at which one piece may follow another
# [rad, rad/s].
SAME_POSTURE, SAME_RATE = 0.05, 0.5


class SteppingCycle:
    """Pieces of a behavior between the middles of its stances on both feet.

    The first pieces begin to step, and the last ones come to rest. Between them as many
    are repeated, for as long as a walk goes on, as arms, trunk and head take to come
    back to where they were: two, one for each foot, where these keep still.

    Attributes:
        reference: the behavior.
        feet: (2) places of the soles in it, which are those of standing.
        rows: rows of the table of each piece.
        begins: (n + 1,) phases between the pieces [s].
        swings: lift-off and touchdown of each piece [s], from its beginning.
        contacts: index of the sole that each piece moves.
        leg_maps: as of `backbeat.mpc.walking.leg_momentum`.
        repeated: numbers of the pieces that are repeated, in their order.
    """

    def __init__(self, reference: Reference) -> None:
        """Cuts a behavior.

        Raises:
            BackbeatError: it does not step in place, or not cyclically.
        """
        self.reference = reference
        swings = self._swings()
        table, n = reference.table, len(swings)
        middles = [0.5 * (a[1] + b[0]) for a, b in itertools.pairwise(swings)]
        cuts = [0, *np.searchsorted(table.t, middles), len(table.t) - 1]
        self.begins = table.t[cuts]
        keep = _kept(table.t, table.standing)
        self.rows = [
            np.r_[a : b + (i == n - 1)][keep[a : b + (i == n - 1)]]
            for i, (a, b) in enumerate(itertools.pairwise(cuts))
        ]
        self.swings = [
            (float(lift - begin), float(land - begin))
            for (lift, land, _), begin in zip(swings, self.begins, strict=False)
        ]
        self.contacts = [contact for _, _, contact in swings]
        self.leg_maps = leg_maps(reference)
        alike = self._alike(np.array(cuts[:-1]))
        self.repeated = self._cyclic(alike)
        # By number of a piece, the one after it.
        self._enters, self._leaves = self._joined(alike)
        p = table.p_contact[0]
        self.feet: tuple[PlanarPose, PlanarPose] = (
            (float(p[0, 0]), float(p[0, 1]), 0.0),
            (float(p[1, 0]), float(p[1, 1]), 0.0),
        )

    @property
    def last(self) -> int:
        """Number of the piece that comes to rest."""
        return len(self.contacts) - 1

    @property
    def period(self) -> float:
        """Time of a step that is repeated [s]."""
        first, count = self.repeated[0], len(self.repeated)
        return float(self.begins[first + count] - self.begins[first]) / count

    def after(self, piece: int, ends: bool) -> int:
        """Number of the piece that follows another.

        Args:
            piece: number of the other, which is not the last.
            ends: whether the walk shall come to rest as soon as it can.
        """
        found = self._enters.get(piece, piece + 1)
        return self._leaves.get(found, found) if ends else found

    def length(self, piece: int) -> float:
        """Time of a piece [s]."""
        return float(self.begins[piece + 1] - self.begins[piece])

    def _alike(self, rows: np.ndarray) -> np.ndarray:
        """(n, n) which pieces begin alike: with the same foot and the same posture."""
        reference, n = self.reference, len(rows)
        robot, table = reference.robot, reference.table
        above = np.setdiff1d(np.arange(robot.num_joints), robot.leg_joints)
        q = table.q[rows][:, robot.base_positions + above]
        v = table.v[rows][:, robot.base_velocities + above]
        far = np.abs(q[:, None] - q).max(2, initial=0.0) > SAME_POSTURE
        fast = np.abs(v[:, None] - v).max(2, initial=0.0) > SAME_RATE
        number = np.arange(n)
        return ~(far | fast) & ((number[:, None] - number) % 2 == 0)

    def _cyclic(self, alike: np.ndarray) -> tuple[int, ...]:
        """Numbers of the fewest pieces that can be repeated, in the middle."""
        n = len(alike)
        for count in range(2, n - 1, 2):
            begins = [a for a in range(1, n - count) if alike[a, a + count]]
            if begins:
                first = min(begins, key=lambda a: abs(a - 0.5 * n))
                return tuple(range(first, first + count))
        raise self._refusal(
            "does not come back to a posture of arms, trunk and head that it had at an "
            "even number of steps before"
        )

    def _joined(self, alike: np.ndarray) -> tuple[dict[int, int], dict[int, int]]:
        """Pieces out of order: into what is repeated, and from there to the end."""
        ring, last = list(self.repeated), len(alike) - 1
        enters = {ring[-1]: ring[0]}
        into = next(k for k in range(1, ring[0] + 1) if alike[k, ring].any())
        enters[into - 1] = ring[int(np.argmax(alike[into, ring]))]
        out = next(k for k in range(last, ring[-1], -1) if alike[k, ring].any())
        return enters, {ring[int(np.argmax(alike[out, ring]))]: out}

    def _swings(self) -> list[tuple[float, float, int]]:
        """Lift-off, touchdown and sole of each swing, in order, checked."""
        reference, table = self.reference, self.reference.table
        if len(reference.soles) != 2:
            raise self._refusal("does not stand on two feet alone")
        found = sorted(
            (a, b, c) for c in reference.soles for a, b in reference.swings[c]
        )
        order = [c for _, _, c in found]
        if len(found) < 4 or len(found) % 2 or order != order[:2] * (len(found) // 2):
            raise self._refusal("does not step with one foot after the other, in turn")
        on = table.standing
        if not on.any(1).all() or not (on[0].all() and on[-1].all()):
            raise self._refusal("jumps, or does not begin and end on both feet")
        moved = np.ptp(np.where(on[:, :, None], table.p_contact, table.p_contact[0]), 0)
        turned = table.R_contact[:, :, 1, 0][on]
        if moved.max() > IN_PLACE or np.abs(turned).max() > IN_PLACE:
            raise self._refusal("does not step in place")
        if table.edge.any():
            raise self._refusal("rolls over heel and toe")
        return found

    def _refusal(self, why: str) -> BackbeatError:
        return BackbeatError(
            f"{self.reference.behavior.name} cannot be driven, for it {why}; drive a "
            "behavior that steps in place, such as step-in-place"
        )


def _kept(t: np.ndarray, standing: np.ndarray) -> np.ndarray:
    """(M,) rows that a walk needs: about every `SAMPLING`, and around each switch."""
    number = np.floor(t / SAMPLING + 1e-6)
    keep = np.r_[True, np.diff(number) > 0]
    changes = (standing[1:] != standing[:-1]).any(1) | (np.diff(t) == 0)
    for shift in (0, 1):
        keep[np.flatnonzero(changes) + shift] = True
    keep[-1] = True
    return keep
