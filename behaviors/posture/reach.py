"""Posture reach: the configuration for targets of body parts given in words.

Targets are solved by inverse kinematics on feet that stay, within joint limits and
without touching oneself. As far as one can is found by bisection: the farthest place at
which the rest still holds and the center of mass is over the feet with some margin.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw

from backbeat.behaviors.library.balance import (
    LEAST_BALANCE,
    balance_margin,
    edge_distance,
    support_polygon,
)
from backbeat.behaviors.posture.limits import PostureLimits
from backbeat.behaviors.posture.words import CENTER, Wish
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKSolution,
    IKTarget,
    InverseKinematics,
)

# The farthest that anything is tried [m], halvings, and the share of it that is used.
FARTHEST, HALVINGS, SHARE = 1.2, 9, 0.97
# Weight of what is not the limb, against the limb [-].
REST = 30.0
# Times a place that moves with the body is looked up anew, until it moves less [m];
# after some of them half way only, for body and place may follow each other for ever.
ROUNDS, SETTLED, WHOLE = 24, 2e-3, 4
# Edges of a support polygon as far away as if there were none, see `support_polygon`.
ANYWHERE = np.array([[x, y, -1e3] for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))])


@dataclass(frozen=True)
class Reached:
    """A posture with its targets.

    Attributes:
        q: (nq,) configuration.
        targets: what was asked for, by frame, as inverse kinematics have it.
        center: (2,) where the center of mass is asked to be [m].
        is_centered: whether that was said, and is not just what balances best.
        notes: sentences on how far things got.
        beside: poses of links that a target is at a place of.
    """

    q: np.ndarray
    targets: Mapping[str, IKTarget]
    center: np.ndarray
    is_centered: bool = False
    notes: tuple[str, ...] = ()
    beside: Mapping[str, RigidTransform] = field(default_factory=dict)


@dataclass(frozen=True)
class _Search:
    """What a posture is searched for: its wishes, and where it is near."""

    q: np.ndarray
    start: Configuration
    wishes: Sequence[Wish]
    center: np.ndarray
    weights: np.ndarray


class PostureReach:
    """Finds postures on feet that stay where they are."""

    def __init__(self, robot: RobotModel, feet: Mapping[str, RigidTransform]) -> None:
        """Prepares.

        Args:
            robot: the robot.
            feet: poses of its soles.
        """
        self.robot, self.feet = robot, dict(feet)
        self.collisions = make_self_collision_model(robot)
        places = {n: X.translation()[:2] for n, X in feet.items()}
        # A robot with a fixed base has no feet, and cannot tip.
        self.corners = support_polygon(robot, feet) if feet else ANYWHERE
        self.middle = np.mean([*places.values()], axis=0) if feet else np.zeros(2)
        self._limits = PostureLimits(robot, self.feet, self.corners)
        self._supports = {"middle": self.middle}
        for word in ("left foot", "right foot"):
            if word in robot.parts and robot.parts[word].frame in places:
                self._supports[word] = places[robot.parts[word].frame]

    def balanced(self, center: np.ndarray) -> np.ndarray | None:
        """(2,) place for the center of mass; None where it does not matter."""
        return center if self.feet else None

    def frame(self, part: str, where: str) -> str:
        """Frame of a part of the body.

        Raises:
            BackbeatError: there is no word for it.
        """
        if part not in self.robot.parts:
            known = [*self.robot.parts, CENTER]
            raise unknown_name(f"part of the body in {where}", part, known)
        return self.robot.parts[part].frame

    def solve(
        self,
        q: np.ndarray,
        wishes: Sequence[Wish],
        targets: Mapping[str, IKTarget],
        where: str,
    ) -> Reached:
        """Finds a posture.

        Args:
            q: (nq,) where it starts from, and stays near.
            wishes: what is said of parts of the body.
            targets: other targets by frame.
            where: names the source in errors.

        Raises:
            BackbeatError: something cannot be where it shall; how near it gets.
        """
        start, center, is_centered = Configuration(self.robot, q), self.middle, False
        asked: dict[str, IKTarget] = dict(targets)
        for wish in wishes:
            if wish.part == CENTER:
                center, is_centered = self._center(wish, start, where), True
                continue
            frame = self.frame(wish.part, where)
            if frame in self.feet:
                raise BackbeatError(
                    f"{where}: feet stay where a tour starts; say where they stand "
                    "there under 'feet', or use kind footsteps"
                )
            if not wish.is_farthest:
                asked[frame] = self._target(wish, frame, start)
        search = _Search(q, start, wishes, center, self._limb_weights(wishes))
        asked, reached, off = self._settled(search, asked, q)
        self._limits.check(reached, off, wishes, where)
        notes: list[str] = []
        for wish in wishes:
            if wish.is_farthest and wish.part != CENTER:
                asked, reached, shift = self._farthest(search, wish, asked, reached)
                notes.append(
                    f"{where}: the {wish.part} gets {shift:.2f} m "
                    f"{wish.farthest_direction}"
                )
        state = Configuration(self.robot, reached.q)
        # Each once, in the order of the words: a set has another one in each process.
        links = dict.fromkeys(self._place(w)[0] for w in wishes if w.place)
        beside = {link: state.pose(self.robot.link_frame(link)) for link in links}
        return Reached(reached.q, asked, center, is_centered, tuple(notes), beside)

    def _place(self, wish: Wish) -> tuple[str, np.ndarray]:
        """Link that a place on the body is on, and (3,) where, on the part's side."""
        place = self.robot.places[wish.place]
        if not wish.part.startswith("right"):
            return place.link, np.array(place.position)
        mirrored = self.robot.roles.mirrored_link(place.link)
        return mirrored, np.array(place.position) * [1.0, -1.0, 1.0]

    def _limb_weights(self, wishes: Sequence[Wish]) -> np.ndarray:
        """(nv,) weights with which the limbs move rather than the rest."""
        robot = self.robot
        limbs = [
            robot.parts[w.part].limb
            for w in wishes
            if w.part in robot.parts and robot.parts[w.part].limb in robot.groups
        ]
        weights = np.full(robot.num_velocities, REST)
        for limb in limbs:
            weights[robot.base_velocities + robot.groups[limb]] = 1.0
        return weights if limbs else np.ones(robot.num_velocities)

    def _settled(
        self, search: "_Search", asked: Mapping[str, IKTarget], q_from: np.ndarray
    ) -> tuple[dict[str, IKTarget], IKSolution, float]:
        """Targets with places on the body where these are, the posture, and how near.

        The last is by how much such a place is not where it was looked up [m].
        """
        robot, asked = self.robot, dict(asked)
        solver = InverseKinematics(robot, self.collisions, search.weights)
        feet = {n: IKTarget(X) for n, X in self.feet.items()}
        at = [w for w in search.wishes if w.place and not w.is_farthest]
        reached = solver.solve(
            search.q, feet | asked, self.balanced(search.center), q_from
        )
        moved = 0.0
        for k in range(ROUNDS if at else 0):
            state, moved, share = Configuration(robot, reached.q), 0.0, 1.0
            if k >= WHOLE:
                share = 0.5
            for wish in at:
                frame = robot.parts[wish.part].frame
                target = self._target(wish, frame, search.start, state)
                p = asked[frame].X_WG.translation()
                shift = target.X_WG.translation() - p
                X = RigidTransform(target.X_WG.rotation(), p + share * shift)
                asked[frame] = replace(target, X_WG=X)
                moved = max(moved, float(np.abs(shift).max()))
            if moved < SETTLED or k == ROUNDS - 1:
                break
            reached = solver.solve(
                search.q, feet | asked, self.balanced(search.center), reached.q
            )
        return asked, reached, moved

    def _target(
        self,
        wish: Wish,
        frame: str,
        start: Configuration,
        now: Configuration | None = None,
        extra: np.ndarray | None = None,
    ) -> IKTarget:
        """Where a frame shall be, with the place on the body where that is now."""
        p = start.pose(frame).translation()
        if wish.point is not None:
            p = np.r_[self.middle, 0.0] + wish.point
        elif wish.place:
            link, position = self._place(wish)
            p = (now or start).pose(self.robot.link_frame(link)) @ position
        shifts = [w.amount * w.direction for w in wish.shifts if w.amount is not None]
        p = p + np.sum(shifts, axis=0) if shifts else p
        if extra is not None:
            p = p + extra
        turn = RollPitchYaw(*wish.turn)
        axes = wish.turns.split()
        if wish.place or wish.point is not None or wish.part.endswith("hand"):
            axes += ["x", "y", "z"] if wish.moves else []
        else:
            along = np.sum(
                [np.abs(w.direction) for w in wish.shifts] or [[0, 0, 0]], axis=0
            )
            axes += [a for a, used in zip("xyz", along, strict=True) if used]
        return IKTarget(RigidTransform(turn, p), " ".join(axes))

    def _farthest(
        self,
        search: "_Search",
        wish: Wish,
        asked: Mapping[str, IKTarget],
        reached: IKSolution,
    ) -> tuple[dict[str, IKTarget], IKSolution, float]:
        """Targets with the farthest one of a wish, the posture, and how far [m]."""
        direction = next(w.direction for w in wish.shifts if w.amount is None)
        frame = self.robot.parts[wish.part].frame

        def attempt(
            shift: float, q_from: np.ndarray
        ) -> tuple[dict[str, IKTarget], IKSolution, float]:
            extra = shift * direction
            target = self._target(wish, frame, search.start, extra=extra)
            return self._settled(search, {**asked, frame: target}, q_from)

        found = {**asked, frame: self._target(wish, frame, search.start)}
        good, bad, best = 0.0, FARTHEST, reached
        for _ in range(HALVINGS):
            middle = 0.5 * (good + bad)
            targets, tried, off = attempt(middle, best.q)
            if self._limits.is_good(tried, off):
                good, best, found = middle, tried, targets
            else:
                bad = middle
        # A little less is used, if that can be had.
        targets, tried, off = attempt(SHARE * good, best.q)
        if self._limits.is_good(tried, off):
            best, found = tried, targets
        # What is asked for is what was found, to the last digit.
        at = Configuration(self.robot, best.q).pose(frame).translation()
        X = RigidTransform(found[frame].X_WG.rotation(), at)
        begin = self._target(wish, frame, search.start).X_WG.translation()
        shift = float((at - begin) @ direction)
        return {**found, frame: replace(found[frame], X_WG=X)}, best, shift

    def _center(self, wish: Wish, start: Configuration, where: str) -> np.ndarray:
        """(2,) where the center of mass shall be.

        Raises:
            BackbeatError: it is not over the feet.
        """
        p = start.center_of_mass[:2]
        if wish.point is not None:
            p = self.middle + wish.point[:2]
        elif wish.over:
            p = self._supports[wish.over]
        for shift in wish.shifts:
            if shift.amount is not None:
                p = p + shift.amount * shift.direction[:2]
        for shift in wish.shifts:
            if shift.amount is None:
                p = (
                    p
                    + edge_distance(self.corners, p, shift.direction[:2])
                    * shift.direction[:2]
                )
        margin = balance_margin(self.corners, p)
        if margin < LEAST_BALANCE - 1e-9:
            raise BackbeatError(
                f"{where}: the {CENTER} would be {1000 * margin:.0f} mm inside the "
                f"edge of the feet, and {1000 * LEAST_BALANCE:.0f} mm are kept (say "
                "'as far as you can')"
            )
        return p
