"""Swing: off-beats come late.

Notes come in pairs, eighths by default. With a swing of s the second one sounds s of
the pair's length after the first: 1/2 is straight, 2/3 is a triplet feel. Finer notes
of a pair move with it, so that their order stays: the pair's time is stretched before
its off-beat and compressed after it.
"""

from fractions import Fraction

from backbeat.models.common.errors import BackbeatError

STRAIGHT, MOST_SWING = 0.5, 0.75
# Length of a pair in beats by the note that swings.
PAIRS = {8: Fraction(1), 16: Fraction(1, 2)}


def check_swing(swing: float, note: int, where: str) -> None:
    """Refuses what is no swing.

    Raises:
        BackbeatError: a share outside 0.5 to 0.75, or a note that does not swing.
    """
    if not STRAIGHT <= swing <= MOST_SWING:
        raise BackbeatError(
            f"{where}: swing is {swing:g}; it is 0.5 (straight) to 0.75 of a pair",
            path=("swing",),
        )
    if note not in PAIRS:
        raise BackbeatError(
            f"{where}: swing_note is {note}; 8 swings eighths and 16 sixteenths",
            path=("swing_note",),
        )


def swung(beat: Fraction, bar: Fraction, swing: float, note: int = 8) -> Fraction:
    """Where a note is played.

    Args:
        beat: where it is written, in beats from the start of its bar.
        bar: length of the bar in beats; half a pair at its end stays straight.
        swing: share of a pair before its off-beat.
        note: 8 or 16, which notes come in pairs.
    """
    pair, late = PAIRS[note], Fraction(swing)
    start = beat // pair * pair
    if swing == STRAIGHT or start + pair > bar:
        return beat
    share = (beat - start) / pair
    share = 2 * share * late if 2 * share < 1 else late + (2 * share - 1) * (1 - late)
    return start + pair * share
