"""What music has to know of the drummer: a kit's members, and two hands at it."""

from collections.abc import Callable

from pydrake.math import RigidTransform

from behaviors.music.percussion import Members
from behaviors.music.player import Advice, Player
from behaviors.strike_postures import StrikePostures
from models.errors import BackbeatError
from models.kit.drum_kit import DrumKit


def kit_members(kit: DrumKit) -> Members:
    """Numbers and notes of a kit's members."""
    return Members(
        {m.number: name for name, m in kit.members.items()},
        {name: m.notes for name, m in kit.members.items()},
    )


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
