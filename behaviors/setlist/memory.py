"""ShowMemory: what versions of a show share, and how far the present one is.

A show that is being put together differs from its last version by a behavior or two.
Transitions are kept by the ends that they join, and certificates by the motion that
they are of. Both are independent of place and heading on flat ground, but not among
drums.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Generic, TypeVar

import numpy as np

from backbeat.behaviors.library.behavior import Behavior, Progress
from backbeat.behaviors.motion.placement import Placement
from backbeat.behaviors.setlist.concatenation import Concatenation
from backbeat.behaviors.setlist.placement import plan_transition
from backbeat.behaviors.setlist.specification import SetlistSpecification
from backbeat.behaviors.setlist.transition import Leg, TransitionPlanner
from backbeat.models.collision.shapes import WORLD
from backbeat.models.common.errors import BackbeatError
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.problem.trajectory_problem import Limits
from backbeat.optimization.verification.certificate import Certificate, worst_of
from backbeat.optimization.verification.verify import Verifier

WAITING, SOLVING, SOLVED, REFUSED = "waiting", "solving", "solved", "refused"
# Transitions and certificates that are kept, and digits in which equals agree.
MOST, DIGITS = 200, 9
# Digits of a place that is computed in several ways.
EXACT = 12
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class PartState:
    """How far a behavior or a transition is.

    Attributes:
        phase: WAITING, SOLVING, SOLVED or REFUSED.
        seconds: its length [s]; 0 where it is not known yet.
        sentence: why it is refused; "" if it is not.
    """

    phase: str = WAITING
    seconds: float = 0.0
    sentence: str = ""


class _Recent(Generic[Kept]):
    """The values that were used last, by key."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str | bytes, Kept] = OrderedDict()

    def get(self, key: str | bytes) -> Kept | None:
        value = self._kept.pop(key, None)
        return None if value is None else self.keep(key, value)

    def keep(self, key: str | bytes, value: Kept) -> Kept:
        self._kept[key] = value
        if len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return value


class ShowMemory:
    """What was found for earlier versions of a show, and the state of this one.

    Attributes:
        text: the version that is being made.
        behaviors: states of its behaviors, by the names that the setlist has.
        transitions: states of its transitions: one before every behavior but the first,
            repeats counted.
        starts: when each behavior starts and how long it takes [s], repeats counted;
            nothing before the show is made.
        edition: another one when a state has changed.
    """

    def __init__(self) -> None:
        """Begins with nothing."""
        self.text, self.edition = "", 0
        self.behaviors: dict[str, PartState] = {}
        self.transitions: tuple[PartState, ...] = ()
        self.starts: list[tuple[float, float]] = []
        self._built: _Recent[Behavior] = _Recent()
        self._legs: _Recent[tuple[Placement, list[Leg]]] = _Recent()
        self._certificates: _Recent[Certificate] = _Recent()
        self._verifier: tuple[bytes, Verifier] | None = None

    def begin(self, text: str) -> None:
        """A version is being made; its states begin anew."""
        self.text, self.behaviors = text, {}
        self.transitions, self.starts = (), []
        self.edition += 1

    def behavior(self, name: str, key: str, make: Callable[[], Behavior]) -> Behavior:
        """A behavior of the setlist, made if it is not known.

        Args:
            name: that the setlist has for it.
            key: of its build.
            make: makes it.

        Raises:
            BackbeatError: it cannot be made.
        """
        self._note(name, PartState(SOLVING))
        try:
            found = self._built.get(key) or self._built.keep(key, make())
        except BackbeatError as error:
            self._note(name, PartState(REFUSED, 0.0, str(error)))
            raise
        self._note(name, PartState(SOLVED, found.duration))
        return found

    def _note(self, name: str, state: PartState) -> None:
        self.behaviors = {**self.behaviors, name: state}
        self.edition += 1

    def _note_transition(self, i: int, state: PartState) -> None:
        now = self.transitions
        self.transitions = (*now[:i], state, *now[i + 1 :])
        self.edition += 1

    def solve(
        self,
        setlist: SetlistSpecification,
        planner: TransitionPlanner,
        parts: Sequence[Behavior],
        placed: Sequence[Placement],
        report: Progress,
        is_thorough: bool,
    ) -> list[list[Leg]]:
        """The transition before every part but the first.

        Args:
            setlist: whose show it is.
            planner: of its robot.
            parts: behaviors in order.
            placed: where they happen.
            report: called before each.
            is_thorough: try all of them before the first that there is not is refused.

        Raises:
            BackbeatError: there is none from one behavior to the next.
        """
        rows = [i for i, n in enumerate(setlist.behaviors, 1) for _ in range(n.repeat)]
        self.transitions = (PartState(),) * (len(parts) - 1)
        found: list[list[Leg]] = []
        refused: BackbeatError | None = None
        for i in range(1, len(parts)):
            report(0.5 * i / len(parts), f"on to {parts[i].name}")
            self._note_transition(i - 1, PartState(SOLVING))
            try:
                legs = self._transition(planner, parts, placed, i)
            except BackbeatError as error:
                self._note_transition(i - 1, PartState(REFUSED, 0.0, str(error)))
                refused = refused or BackbeatError(
                    f"{setlist.name}, entry {rows[i]}: {error}",
                    path=("behaviors", rows[i] - 1),
                )
                if not is_thorough:
                    raise refused from None
                continue
            seconds = sum(float(leg.motion.t[-1]) for leg in legs)
            self._note_transition(i - 1, PartState(SOLVED, seconds))
            found.append(legs)
        if refused is not None:
            raise refused
        return found

    def _transition(
        self,
        planner: TransitionPlanner,
        parts: Sequence[Behavior],
        placed: Sequence[Placement],
        i: int,
    ) -> list[Leg]:
        """The transition before a part, moved there if it is known."""
        (a, b), (here, there) = parts[i - 1 : i + 1], placed[i - 1 : i + 1]
        ends = (_ends(a), _ends(b), _rounded(here.inverse() @ there))
        where = _where(planner, here)
        key = _hashed(_world(planner), where, *ends)
        known = self._legs.get(key)
        if known is None:
            moves = not where
            known = self._legs.keep(key, _planned(planner, a, here, b, there, moves))
        was, legs = known
        move = here @ was.inverse()
        return [replace(leg, motion=move.motion(leg.motion)) for leg in legs]

    def certificate(
        self, planner: TransitionPlanner, joined: Concatenation, report: Progress
    ) -> Certificate:
        """The certificate of a show, of whose motions only new ones are verified.

        What is between the end of one and the start of the next is for the checks of
        junctions.
        """
        world = _world(planner)
        if self._verifier is None or self._verifier[0] != world:
            verifier = Verifier(planner.robot, planner.collisions, Limits().friction)
            self._verifier = world, verifier
        knots, start = joined.worst_knot(), 0.0
        found = [] if knots is None else [Certificate((knots,))]
        for motion in joined.motions:
            base = _base(motion)
            local = base.inverse().motion(motion)
            key = _hashed(world, _where(planner, base), *_arrays(local))
            known = self._certificates.get(key)
            if known is None:
                report(0.7, "verifying")
                known = self._verifier[1].verify(motion)
                self._certificates.keep(key, known)
            found.append(known.later(start))
            start += float(motion.t[-1])
        return worst_of(found)

    def finish(self, show: Behavior) -> None:
        """Notes when the behaviors of a show start."""
        segments = [e for e in show.events if e.kind == "segment"]
        own = [e for e in segments if not e.what.startswith("to ")]
        self.starts = [(float(e.time), float(e.duration)) for e in own]
        if not self.transitions:
            self.transitions = (PartState(SOLVED),) * (len(own) - 1)
        self.edition += 1


def _planned(
    planner: TransitionPlanner,
    a: Behavior,
    here: Placement,
    b: Behavior,
    there: Placement,
    moves: bool,
) -> tuple[Placement, list[Leg]]:
    """Where a transition was planned, and its legs.

    If it may be planned anywhere, as where no drums are, it is planned where its first
    behavior was built: a solver may come to another solution from what differs in the
    last bit.
    """
    if not moves:
        return here, plan_transition(planner, a, here, b, there)
    apart = here.inverse() @ there
    apart = Placement(*(round(float(x), EXACT) for x in (apart.x, apart.y, apart.yaw)))
    origin = Placement()
    return origin, plan_transition(planner, a, origin, b, apart)


def _base(motion: DenseTrajectory) -> Placement:
    """Where the base of a robot begins a motion, above the ground."""
    w, x, y, z = motion.q[0, :4]
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return Placement(float(motion.q[0, 4]), float(motion.q[0, 5]), float(yaw))


def _ends(part: Behavior) -> bytes:
    """What of a behavior decides a transition: its first and its last instant."""
    motion, arrays = part.motion, []
    for i in (0, -1):
        for name in ("q", "v", "vdot", "wrench", "standing", "R_WC", "p_WC"):
            arrays.append(_rounded(getattr(motion, name)[i]))
    return _hashed(repr((motion.contacts, part.scene)).encode(), *arrays)


def _arrays(motion: DenseTrajectory) -> list[bytes]:
    columns = [field.name for field in fields(motion) if field.name != "contacts"]
    arrays = [_rounded(getattr(motion, name)) for name in columns]
    return [repr(motion.contacts).encode(), *arrays]


def _world(planner: TransitionPlanner) -> bytes:
    """The robot, what it carries, and what is around it."""
    model, name = planner.collisions, planner.robot.name
    spheres = repr([(sphere.link, sphere.part) for sphere in model.spheres])
    solids = [(s.name, s.body, s.kind) for s in model.solids]
    shapes = [
        _rounded(np.r_[s.X_PS.GetAsMatrix34().ravel(), s.size]) for s in model.solids
    ]
    return _hashed(name.encode(), spheres.encode(), repr(solids).encode(), *shapes)


def _where(planner: TransitionPlanner, place: Placement) -> bytes:
    """A place, where there are drums that do not move with the robot."""
    is_free = all(s.body != WORLD for s in planner.collisions.solids)
    return b"" if is_free else _rounded(place)


def _rounded(value: Any) -> bytes:
    """A number, array or placement up to what moving it about changes."""
    if isinstance(value, Placement):
        value = [value.x, value.y, value.yaw]
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = np.round(array, DIGITS) + 0.0
    return np.ascontiguousarray(array).tobytes()


def _hashed(*parts: bytes) -> bytes:
    sha = hashlib.blake2b(digest_size=20)
    for part in parts:
        sha.update(len(part).to_bytes(8, "little") + part)
    return sha.digest()
