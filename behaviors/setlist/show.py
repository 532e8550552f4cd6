"""Show: the behaviors of a setlist as one behavior, with transitions between them."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import metadata

import numpy as np

from backbeat.behaviors.library.behavior import (
    Behavior,
    Mount,
    Progress,
    centroidal_quantities,
    make_robot,
)
from backbeat.behaviors.library.robots import robot_hash
from backbeat.behaviors.motion.concatenation import (
    SAME_TIME,
    concatenate,
    cut,
    junction_checks,
)
from backbeat.behaviors.setlist.concatenation import Concatenation
from backbeat.behaviors.setlist.memory import ShowMemory
from backbeat.behaviors.setlist.placement import clear_step_back, places
from backbeat.behaviors.setlist.specification import SetlistSpecification, same_tempo
from backbeat.behaviors.setlist.transition import TransitionPlanner
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.scene import Scene
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.problem.trajectory_problem import Limits
from backbeat.optimization.verification.certificate import Certificate
from backbeat.optimization.verification.verify import verify_motion


def make_show(
    setlist: SetlistSpecification,
    behaviors: Mapping[str, Behavior],
    text: str = "",
    report: Progress | None = None,
    memory: ShowMemory | None = None,
) -> Behavior:
    """Joins the behaviors of a setlist.

    Args:
        setlist: the setlist.
        behaviors: built for its robot and equipment, by the names it uses.
        text: YAML of the setlist.
        report: called as the work goes on.
        memory: of earlier versions; None to verify the whole as one motion.

    Returns:
        The show; its certificate says whether it may be played.

    Raises:
        BackbeatError: two behaviors do not go together, or there is no transition.
    """
    report = report or (lambda share, what: None)
    setlist.check()
    robot = make_robot(setlist.robot, tuple(setlist.equipment), Mount())
    parts = _parts(setlist, robot, behaviors)
    tempos = [p.bpm for p in parts if p.bpm]
    scenes = [(p.scene, p) for p in parts if p.scene.name]
    bpm = tempos[0] if tempos else 0.0
    scene = _only_scene(scenes)
    solids = scene.drum_kit().solids() if scene.name else []
    planner = TransitionPlanner(robot, make_self_collision_model(robot, scene=solids))
    joined = _join(setlist, parts, planner, report, memory)
    motion = concatenate(joined.motions)
    report(0.6, "verifying")
    certificate = _verified(planner, motion, joined, memory, report)
    checks = *certificate.checks, *junction_checks(robot, joined.motions)
    com, momentum, inertia = centroidal_quantities(robot, motion)
    return Behavior(
        name=setlist.name,
        kind=setlist.kind,
        summary=setlist.summary,
        robot=setlist.robot,
        equipment=tuple(setlist.equipment),
        beat_priority=setlist.beat_priority,
        mount=Mount(),
        scene=scene,
        bpm=bpm,
        meter=joined.meter(),
        motion=motion,
        com=com,
        momentum=momentum,
        inertia=inertia,
        events=tuple(sorted(joined.events, key=lambda e: e.time)),
        certificate=Certificate(checks),
        specification=text,
        provenance=_provenance(joined, float(motion.t[-1]), setlist.robot),
    )


def _verified(
    planner: TransitionPlanner,
    motion: DenseTrajectory,
    joined: Concatenation,
    memory: ShowMemory | None,
    report: Progress,
) -> Certificate:
    """The certificate of a show: as one motion, or of each motion that is new."""
    if memory is not None:
        return memory.certificate(planner, joined, report)
    friction, knots = Limits().friction, joined.worst_knot()
    return verify_motion(planner.robot, motion, planner.collisions, friction, knots)


def _parts(
    setlist: SetlistSpecification, robot: RobotModel, behaviors: Mapping[str, Behavior]
) -> list[Behavior]:
    """What is performed, entry by entry.

    Raises:
        BackbeatError: a behavior cannot be one of several, or has not so many beats.
    """
    entries = setlist.entries()
    for name in dict.fromkeys(n.behavior for n in entries):
        _check_part(setlist, robot, behaviors[name])
    return [until(behaviors[n.behavior], n.until) for n in entries]


def _provenance(
    joined: Concatenation, duration: float, robot: str
) -> dict[str, object]:
    """What is filed of how a show of so many seconds was made."""
    return {
        "key": "",
        "robot_hash": robot_hash(robot),
        "backbeat": metadata.version("backbeat"),
        "drake": metadata.version("drake"),
        "duration_s": duration,
        "seconds": 0.0,
        **joined.statistics(),
    }


def _join(
    setlist: SetlistSpecification,
    parts: Sequence[Behavior],
    planner: TransitionPlanner,
    report: Progress,
    memory: ShowMemory | None,
) -> Concatenation:
    """Places parts one after the other, with transitions and rests between them.

    Raises:
        BackbeatError: no way was found from one to the next.
    """
    try:
        back = clear_step_back(parts, planner, setlist.step_back)
    except BackbeatError as error:
        raise BackbeatError(f"{setlist.name}: {error}") from None
    placed = places(parts, planner, back)
    tempos = [part.bpm for part in parts if part.bpm] or [0.0]
    is_one = all(same_tempo(tempos[0], bpm) for bpm in tempos)
    joined = Concatenation(tempos[0] if is_one else 0.0, marks_all=not is_one)
    if back > setlist.step_back:
        joined.remarks.append(
            f"the robot steps back {back:g} m and not {setlist.step_back:g}, for what "
            f"follows or goes before would reach the drums; step_back: {back:g} says so"
        )
    known, is_thorough = memory or ShowMemory(), memory is not None
    solved = known.solve(setlist, planner, parts, placed, report, is_thorough)
    for i, (entry, part) in enumerate(zip(setlist.entries(), parts, strict=True)):
        if i:
            joined.add_transition(part.name, solved[i - 1])
            own = entry.beats * 60.0 / part.bpm if joined.marks_all and part.bpm else 0
            joined.rest(entry.rest + own, entry.beats)
        joined.add_part(part, placed[i])
    return joined


def _check_part(
    setlist: SetlistSpecification, robot: RobotModel, part: Behavior
) -> None:
    """Refuses behaviors that cannot be one of several.

    Raises:
        BackbeatError: held by something, of another robot, or not at rest on its feet.
    """
    contacts = (part.robot_model.contacts[n] for n in part.motion.contacts)
    patches = {c.frame.name for c in contacts if not c.is_point}
    if not part.mount.is_free or not patches <= set(robot.soles):
        raise BackbeatError(
            f"{setlist.name}: in {part.name} the robot is held or sits and cannot walk "
            "on; take a behavior that stands freely"
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


def until(part: Behavior, beat: float) -> Behavior:
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


def _only_scene(found: Sequence[tuple[Scene, Behavior]]) -> Scene:
    """The scene that all behaviors have, if any.

    Raises:
        BackbeatError: two of them differ.
    """
    for (a, one), (b, other) in itertools.pairwise(found):
        if a != b:
            raise BackbeatError(
                f"{one.name} has its {a.name} at {a.place} and {other.name} has its "
                f"{b.name} at {b.place}; a show has one place for the kit, so change "
                "one of them"
            )
    return found[0][0] if found else Scene()
