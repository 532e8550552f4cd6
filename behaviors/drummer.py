"""The drummer: a kit's members, two hands at it, and what a score has them do when."""

from collections.abc import Callable

from pydrake.math import RigidTransform

from behaviors.behavior import Event
from behaviors.music.percussion import Members
from behaviors.music.player import Advice, Player
from behaviors.music.score import FEET, HANDS, Hit, Score
from behaviors.strike_postures import StrikePostures
from models.errors import BackbeatError
from models.kit.drum_kit import DrumKit
from models.kit.pedals import BEATER_NAME


def kit_members(kit: DrumKit) -> Members:
    """Numbers and notes of a kit's members, and what feet play of it."""
    return Members(
        {m.number: name for name, m in kit.members.items()},
        {name: m.notes for name, m in kit.members.items()},
        {pedal.member: f"{pedal.foot} foot" for pedal in kit.pedals()},
    )


def stick_tip(hand: str) -> str:
    """Frame of the tip of a hand's stick."""
    return f"{hand[0]}_stick_tip"


def striker(hit: Hit) -> str:
    """What strikes: the tip of a stick, or the beater of a pedal."""
    if hit.hand in FEET:
        return f"{hit.member}{BEATER_NAME}"
    return stick_tip(hit.hand)


def score_events(
    score: Score, aim: Callable[[str, str], tuple[float, float]]
) -> tuple[Event, ...]:
    """Strikes, rests, segments, the beats of a changing tempo, and where music begins.

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
    if not score.tempo.is_constant:
        whole = range(int(score.beats + 1e-9) + 1)
        events += [Event(time(beat), "beat", "") for beat in whole]
    if score.backing or score.lead_in:
        events.append(Event(time(score.lead_in), "music", score.backing))
    for hold in score.holds:
        start = time(hold.contact_start)
        length = time(hold.contact_end) - start
        for hand, member in hold.rest.items():
            events.append(Event(start, "rest", member, stick_tip(hand), 0, length))
        events.append(Event(start, "segment", hold.name, duration=length))
    return tuple(sorted(events, key=lambda event: event.time))


def make_player(
    kit: DrumKit,
    postures: StrikePostures,
    touch: Callable[[str, str], RigidTransform],
    advice: Advice,
) -> Player:
    """Two hands whose reach is that of the arms.

    Args:
        kit: where members are.
        postures: how a hand gets at a member.
        touch: where a tip touches a member's head, by member and hand.
        advice: what choices to avoid.
    """

    def can_reach(hand: str, member: str) -> bool:
        try:
            postures.reach(hand, member, touch(member, hand))
        except BackbeatError:
            return False
        return True

    places = {m: kit.strike_pose(m).translation() - kit.p_WK for m in kit.members}
    return Player(places, can_reach, advice=advice)
