"""Rests before and after the notes of a music file, which has none for a drummer.

A drummer starts with both sticks on drums, and returns there.
"""

import math

from backbeat.behaviors.music.notation.percussion import Members
from backbeat.behaviors.music.notation.score import HANDS
from backbeat.behaviors.music.notation.score_description import PartDescription

# Where hands rest if the kit has it, and the least time of the rest at the start [s].
REST = {"left": "snare", "right": "floor_tom"}
LEAST_LEAD_IN = 2.0
# Beats of the rest at the end, at least.
LEAST_END = 2.0


def lead_in(bpm: float, bar: float, members: Members) -> PartDescription:
    """A hold of whole bars to start with.

    Args:
        bpm: first tempo.
        bar: beats of the first bar.
        members: what the kit has.
    """
    beats = max(LEAST_END, LEAST_LEAD_IN * bpm / 60.0)
    bars = math.ceil(beats / bar)
    part = _hold("ready", bars * bar, members)
    part.bars = bars
    return part


def final_bar(bar: float, members: Members) -> PartDescription:
    """A hold of whole bars to end with."""
    return _hold("end", math.ceil(LEAST_END / bar) * bar, members)


def _hold(name: str, beats: float, members: Members) -> PartDescription:
    names = members.names
    rest = {h: m if m in names else names[0] for h, m in REST.items()}
    assert set(rest) == set(HANDS)
    return PartDescription(name=name, hold=beats, rest=rest)
