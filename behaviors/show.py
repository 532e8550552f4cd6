"""Show: the behaviors of a setlist as one behavior, with the ways between them.

Behaviors move to where the robot stands when their turn comes: the ground looks the
same everywhere. Drums do not move, so all that happens is placed around the first
behavior that has things about it. The robot comes up to them ready to play, and steps
back before it does anything else.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from typing import TypeVar

import numpy as np

from behaviors.behavior import (
    Behavior,
    Event,
    Mount,
    Progress,
    centroidal_quantities,
    make_robot,
)
from behaviors.concatenation import (
    SAME_TIME,
    concatenate,
    cut,
    hold,
    seam_checks,
)
from behaviors.placement import Placement
from behaviors.setlist import SetlistSpecification
from behaviors.transition import TransitionPlanner
from models.collision import make_self_collision_model
from models.errors import BackbeatError
from models.kit.drum_kit import DrumKit
from models.robot import RobotModel
from models.scene import Scene
from optimization.explanation import active_limits
from optimization.reconstruction import DenseTrajectory
from optimization.trajectory_problem import Limits
from optimization.verification import BOUNDS, Certificate, Check, verify_motion

Value = TypeVar("Value")
# A start this close after a beat is on it [s].
ON_THE_BEAT = 1e-6


def make_show(
    setlist: SetlistSpecification,
    behaviors: Mapping[str, Behavior],
    text: str = "",
    report: Progress | None = None,
) -> Behavior:
    """Joins the behaviors of a setlist.

    Args:
        setlist: the setlist.
        behaviors: built for its robot and equipment, by the names it uses.
        text: YAML of the setlist.
        report: called as the work goes on.

    Returns:
        The show; its certificate says whether it may be played.

    Raises:
        BackbeatError: two behaviors do not go together, or no way was found between
            them.
    """
    report = report or (lambda share, what: None)
    setlist.check()
    robot = make_robot(setlist.robot, tuple(setlist.equipment), Mount())
    numbers = setlist.numbers()
    for name in dict.fromkeys(n.behavior for n in numbers):
        _check_part(setlist, robot, behaviors[name])
    parts = [_until(behaviors[n.behavior], n.until) for n in numbers]
    bpm = _only([(p.bpm, p) for p in parts if p.bpm], "{0:g} BPM", "tempo") or 0.0
    scenes = [(p.scene, p) for p in parts if p.scene.name]
    scene = _only(scenes, "its {0.name} at {0.place}", "place for the kit") or Scene()
    solids = DrumKit(scene.place).solids() if scene.name else []
    planner = TransitionPlanner(robot, make_self_collision_model(robot, scene=solids))
    placed = _place(parts, planner, setlist.step_back)
    joined = _Joined(bpm)
    for i, (number, part) in enumerate(zip(numbers, parts, strict=True)):
        report(0.5 * i / len(parts), f"on to {part.name}")
        if i:
            joined.add_way(planner, parts[i - 1], part, placed[i - 1], placed[i])
            joined.rest(number.rest, number.beats)
        joined.add_part(part, placed[i])
    motion = concatenate(joined.motions)
    report(0.6, "verifying")
    certificate = verify_motion(
        robot, motion, planner.collisions, Limits().friction, joined.worst_knot()
    )
    seams = seam_checks(robot, joined.motions)
    com, momentum, inertia = centroidal_quantities(robot, motion)
    return Behavior(
        name=setlist.name,
        kind=setlist.kind,
        summary=setlist.summary,
        robot=setlist.robot,
        equipment=tuple(setlist.equipment),
        mount=Mount(),
        scene=scene,
        bpm=bpm,
        beats_per_bar=next((p.beats_per_bar for p in parts if p.bpm), 4),
        motion=motion,
        com=com,
        momentum=momentum,
        inertia=inertia,
        events=tuple(sorted(joined.events, key=lambda e: e.time)),
        certificate=Certificate((*certificate.checks, *seams)),
        specification=text,
        provenance={
            "key": "",
            "backbeat": metadata.version("backbeat"),
            "drake": metadata.version("drake"),
            "duration_s": float(motion.t[-1]),
            "seconds": 0.0,
            **joined.numbers(),
        },
    )


def _check_part(
    setlist: SetlistSpecification, robot: RobotModel, part: Behavior
) -> None:
    """Refuses behaviors that cannot be one of several.

    Raises:
        BackbeatError: held by something, of another robot, or not at rest on its feet.
    """
    if not part.mount.is_free:
        raise BackbeatError(
            f"{setlist.name}: in {part.name} the robot is held and cannot walk on; "
            "take a behavior that stands freely"
        )
    mine = (setlist.robot, sorted(setlist.equipment))
    if (part.robot, sorted(part.equipment)) != mine:
        raise BackbeatError(
            f"{setlist.name}: {part.name} is of {part.robot} with "
            f"{_list(part.equipment)} and the show of {setlist.robot} with "
            f"{_list(setlist.equipment)}; build it for the setlist's equipment"
        )
    motion = part.motion
    for end, when in ((0, "start"), (-1, "end")):
        standing = {
            n for n, s in zip(motion.contacts, motion.standing[end], strict=True) if s
        }
        if not set(robot.soles) <= standing or np.abs(motion.v[end]).max() > 0:
            raise BackbeatError(
                f"{setlist.name}: {part.name} does not rest on both feet at its "
                f"{when}; give it a moment of stance there"
            )


def _until(part: Behavior, beat: float) -> Behavior:
    """A behavior up to one of its beats; all of it for beat zero.

    A foot that is in the air on that beat comes down first.

    Raises:
        BackbeatError: it has no beats, or not so many.
    """
    if beat == 0:
        return part
    if not part.bpm:
        raise BackbeatError(f"{part.name} has no tempo, so it has no beat to leave on")
    time, last = beat * 60 / part.bpm, part.duration * part.bpm / 60
    if not beat < last:
        raise BackbeatError(
            f"{part.name} has {last:.0f} beats and cannot be left on beat {beat:g}"
        )
    whole = part.motion
    soles = [whole.contacts.index(n) for n in part.robot_model.soles]
    down = whole.t[whole.standing[:, soles].all(axis=1)]
    time = float(down[down >= time - SAME_TIME][0])
    motion = cut(whole, time)
    events = tuple(
        replace(e, duration=min(e.duration, time - e.time))
        for e in part.events
        if e.time <= time
    )
    return replace(part, motion=motion, events=events)


def _list(equipment: Sequence[str]) -> str:
    return " and ".join(equipment) or "nothing in its hands"


def _only(
    found: Sequence[tuple[Value, Behavior]], text: str, what: str
) -> Value | None:
    """The value that all behaviors have; None without any.

    Raises:
        BackbeatError: two of them differ.
    """
    for (a, one), (b, other) in itertools.pairwise(found):
        if a != b:
            raise BackbeatError(
                f"{one.name} has {text.format(a)} and {other.name} has "
                f"{text.format(b)}; a show has one {what}, so change one of them"
            )
    return found[0][0] if found else None


def _place(
    parts: Sequence[Behavior], planner: TransitionPlanner, step_back: float
) -> list[Placement]:
    """Where each behavior happens: by its drums, or where the one beside it leaves it.

    What comes before or after drums is as far behind them as `step_back`.
    """
    starts = [planner.place(p.motion.q[0]) for p in parts]
    ends = [planner.place(p.motion.q[-1]) for p in parts]
    fixed = [bool(p.scene.name) for p in parts]
    anchor = fixed.index(True) if any(fixed) else 0
    places = [Placement()] * len(parts)
    back = Placement(-step_back)
    for i in range(anchor + 1, len(parts)):
        if not fixed[i]:
            here = places[i - 1] @ ends[i - 1] @ (back if fixed[i - 1] else Placement())
            places[i] = here @ starts[i].inverse()
    for i in range(anchor - 1, -1, -1):
        here = places[i + 1] @ starts[i + 1] @ (back if fixed[i + 1] else Placement())
        places[i] = here @ ends[i].inverse()
    return places


def _stations(
    planner: TransitionPlanner,
    a: Behavior,
    b: Behavior,
    place_a: Placement,
    place_b: Placement,
) -> list[np.ndarray]:
    """Configurations that the way from one behavior to the next goes through."""
    leave = [place_a.configuration(a.motion.q[-1])]
    come = [place_b.configuration(b.motion.q[0])]
    here, there = planner.place(leave[0]), planner.place(come[0])
    if touching := _touching(planner.robot, a.motion, -1):
        leave.append(planner.lifted(leave[0], touching))
    if touching := _touching(planner.robot, b.motion, 0):
        come.insert(0, planner.lifted(come[0], touching))
    if a.scene.name and not b.scene.name:
        leave.append((there @ here.inverse()).configuration(leave[-1]))
    if b.scene.name and not a.scene.name:
        come.insert(0, (here @ there.inverse()).configuration(come[0]))
    return [*leave, *come]


def _touching(robot: RobotModel, motion: DenseTrajectory, i: int) -> list[str]:
    """Points that rest on something."""
    return [
        n
        for n, s in zip(motion.contacts, motion.standing[i], strict=True)
        if s and robot.contacts[n].is_point
    ]


@dataclass
class _Joined:
    """What has been joined so far.

    Attributes:
        bpm: tempo of the show [beats/min], 0 without music.
    """

    bpm: float
    time: float = 0.0
    motions: list[DenseTrajectory] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    knots: int = 0
    iterations: int = 0
    limits: list[dict[str, object]] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    def add_part(self, part: Behavior, place: Placement) -> None:
        """Adds a behavior where it happens."""
        start, made = self.time, part.provenance
        self.events.append(Event(start, "segment", part.name, duration=part.duration))
        for event in part.events:
            kind = "marker" if event.kind == "segment" else event.kind
            self.events.append(replace(event, time=start + event.time, kind=kind))
        for check in part.certificate.checks:
            if check.name == "knot_violation":
                self.checks.append(replace(check, time=start + check.time))
        self.knots += int(str(made["knots"]))
        self.iterations += int(str(made["iterations"]))
        self._add_limits(part.active_limits().to_dict("records"))
        self._add(place.motion(part.motion))

    def add_way(
        self,
        planner: TransitionPlanner,
        a: Behavior,
        b: Behavior,
        place_a: Placement,
        place_b: Placement,
    ) -> None:
        """Adds the way from one behavior to the next."""
        start = self.time
        stations = _stations(planner, a, b, place_a, place_b)
        before, after = place_a.motion(a.motion), place_b.motion(b.motion)
        for leg in planner.solve((a.name, b.name), stations, before, after):
            self.checks.append(
                Check(
                    "knot_violation",
                    leg.solution.violation(),
                    BOUNDS["knot_violation"],
                    self.time,
                    f"{leg.name} to {b.name}",
                )
            )
            self.knots += len(leg.solution.q)
            self.iterations += len(leg.solution.log)
            self._add_limits(active_limits(leg.solution).to_dict("records"))
            self._add(leg.motion)
        if self.time > start:
            name = f"to {b.name}"
            self.events.append(
                Event(start, "segment", name, duration=self.time - start)
            )

    def rest(self, seconds: float, beats: float) -> None:
        """Stays for a while, and until the next beat."""
        until = self.time + seconds
        if self.bpm:
            beat = 60.0 / self.bpm
            until = beat * np.ceil((until - ON_THE_BEAT) / beat + beats)
        if until > self.time + ON_THE_BEAT:
            self._add(hold(self.motions[-1], until - self.time))
        self.time = float(until)

    def worst_knot(self) -> Check | None:
        """The largest violation of what the optimizer solved."""
        return max(self.checks, key=lambda c: c.value, default=None)

    def numbers(self) -> dict[str, object]:
        """What the optimizer did, for the provenance."""
        worst = self.worst_knot()
        return {
            "knots": self.knots,
            "iterations": self.iterations,
            "violation": worst.value if worst else 0.0,
            "log": [],
            "active_limits": self.limits,
        }

    def _add(self, motion: DenseTrajectory) -> None:
        self.motions.append(motion)
        self.time += float(motion.t[-1])

    def _add_limits(self, limits: Sequence[Mapping[str, object]]) -> None:
        for limit in limits:
            times = {k: self.time + float(str(limit[k])) for k in ("from_s", "to_s")}
            self.limits.append({**limit, **times})
