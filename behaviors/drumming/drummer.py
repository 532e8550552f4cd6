"""The drummer: a kit's members, two hands at it, and the events of a score."""

from collections.abc import Callable

from pydrake.math import RigidTransform

from backbeat.behaviors.drumming.strike_postures import StrikePostures
from backbeat.behaviors.library.behavior import (
    Event,
    beat_events,
    count_in_events,
    music_events,
)
from backbeat.behaviors.music.notation.left_out import ABSENT
from backbeat.behaviors.music.notation.percussion import Members
from backbeat.behaviors.music.notation.player import HandModel, Hints
from backbeat.behaviors.music.notation.score import FEET, HANDS, Hit, Score
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.kit.pedals import BEATER_NAME
from backbeat.models.kit.resizing import AS_WRITTEN, Resizing
from backbeat.models.robot.model import RobotModel

# Height of a tip that waits above a head [m].
WAITING = 0.15


def kit_members(kit: DrumKit) -> Members:
    """Numbers and notes of a kit's members, and what feet play of it."""
    return Members(
        {m.number: name for name, m in kit.members.items()},
        {name: m.notes for name, m in kit.members.items()},
        {pedal.member: f"{pedal.foot} foot" for pedal in kit.pedals()},
    )


def played_feet(score: Score, seated: bool, where: str) -> list[str]:
    """The feet that a score is played with.

    Args:
        score: what is played.
        seated: whether the drummer sits.
        where: names the specification in errors.

    Raises:
        BackbeatError: the drummer stands on them.
    """
    if score.feet and not seated:
        played = {h.member for h in score.hits if h.hand in FEET}
        names, drop = " and ".join(sorted(played)), ": drop, ".join(sorted(played))
        raise BackbeatError(
            f"{where}: {names} is played by a foot on a pedal, and a "
            "robot that stands needs both feet to stand on; write seat: chair, or "
            f"leave it out with mapping: {{{drop}: drop}} in the score"
        )
    return score.feet


def stick(hand: str) -> str:
    """What a hand carries, by its name in the equipment `sticks` of a robot."""
    return f"{hand[0]}_stick"


def stick_tip(hand: str) -> str:
    """Frame of the tip of a hand's stick."""
    return f"{stick(hand)}_tip"


def elbow(robot: RobotModel, hand: str) -> str:
    """Link whose origin is at a hand's elbow: where the arm bends."""
    return robot.roles.link(f"{hand} elbow")


def shoulder(robot: RobotModel, hand: str) -> str:
    """Link whose origin is at a hand's shoulder: where the arm is raised."""
    return robot.roles.link(f"{hand} shoulder")


def wrist(robot: RobotModel, hand: str) -> str:
    """Link whose origin is at a hand's wrist."""
    return robot.roles.link(f"{hand} wrist")


def striker(hit: Hit) -> str:
    """What strikes: the tip of a stick, or the beater of a pedal."""
    if hit.hand in FEET:
        return f"{hit.member}{BEATER_NAME}"
    return stick_tip(hit.hand)


def score_events(
    score: Score, aim: Callable[[str, str], tuple[float, float]]
) -> tuple[Event, ...]:
    """Strikes, hits left out, rests, targets, segments, beats, music and count-in.

    Args:
        score: what is played, with hands for all hits.
        aim: where a hand strikes a head, from its strike point, by member and hand [m].
    """
    time = score.tempo.time
    events = [
        Event(
            time(h.beat),
            "strike",
            h.member,
            striker(h),
            h.velocity,
            aim=aim(h.member, h.hand) if h.hand in HANDS else (0.0, 0.0),
        )
        for h in score.hits
    ]
    events += [
        Event(time(h.beat), "left out", h.member, velocity=h.velocity, cause=lost.cause)
        for lost in score.left_out
        if lost.cause != ABSENT
        for h in [lost.hit]
    ]
    events += beat_events(score.tempo.marked_beats(score.beats))
    music = time(score.lead_in) - score.offset
    events += music_events(score.backing, music, score.lead_in > 0)
    events += count_in_events(map(time, score.count_in_beats("the score")))
    for hold in score.holds:
        start = time(hold.contact_start)
        length = time(hold.contact_end) - start
        for hand, member in hold.rest.items():
            events.append(Event(start, "rest", member, stick_tip(hand), 0, length))
        # Of songs in a row the segments are these, and holds are markers in them.
        kind = "marker" if score.tempo.songs else "segment"
        events.append(Event(start, kind, hold.name, duration=length))
    if score.tempo.songs:
        for section in score.sections:
            start = time(section.beat)
            length = time(section.beat + section.beats) - start
            events.append(Event(start, "segment", section.name, duration=length))
    for target in score.targets:
        start = time(target.beat)
        length = time(target.beat + target.beats) - start
        tip = stick_tip(target.hand)
        events.append(Event(start, "target", target.name, tip, duration=length))
    return tuple(sorted(events, key=lambda event: event.time))


def target_pose(
    score: Score,
    kit: DrumKit,
    name: str,
    hand: str,
    touch: Callable[[str, str], RigidTransform],
    size: Resizing = AS_WRITTEN,
) -> RigidTransform:
    """Where a tip is at a target.

    Args:
        score: with the target.
        kit: where drums are.
        name: of the target.
        hand: whose it is.
        touch: where a tip touches a head, by member and hand.
        size: what became of the kit's places.
    """
    target = next(t for t in score.targets if t.name == name)
    if target.member:
        above = size.factor * WAITING
        return RigidTransform([0.0, 0.0, above]) @ touch(target.member, hand)
    place = target.place if size == AS_WRITTEN else size.place(list(target.place))
    return RigidTransform(kit.p_WK + place)


def make_player(
    kit: DrumKit,
    postures: StrikePostures,
    touch: Callable[[str, str], RigidTransform],
    hints: Hints,
) -> HandModel:
    """Two hands whose reach is that of the arms.

    Args:
        kit: where members are.
        postures: how a hand gets at a member.
        touch: where a tip touches a member's head, by member and hand.
        hints: what choices to avoid.
    """

    def can_reach(hand: str, member: str) -> bool:
        try:
            postures.reach(hand, member, touch(member, hand))
        except BackbeatError:
            return False
        return True

    places = {m: kit.strike_pose(m).translation() - kit.p_WK for m in kit.members}
    return HandModel(places, can_reach, hints=hints)
