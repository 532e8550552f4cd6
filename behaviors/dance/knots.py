"""Knots of a dance: how many of them a beat has."""

from collections.abc import Sequence

from backbeat.behaviors.dance.arrangement import PlacedMove

# Knots of a beat, as many as it takes for them to be near enough to each other [s].
KNOTS_PER_BEAT = (12, 16, 20, 24, 32, 40)
STANDING, STEPPING, FLYING = 1.0, 0.0525, 0.042
# And of a cycle: between fewer, forces of a quick move leave the friction cone.
KNOTS_PER_CYCLE = 12
# Fewest of a step, and of the time between two: a foot that lands or leaves is still
# for a knot on either side.
LEAST_KNOTS = 4
# The same where steps begin and end between knots, and are put on the nearest ones.
ROUNDED_KNOTS = 4.1


def knots_per_beat(
    placed: Sequence[PlacedMove], beat_length: float, most: float = 0.0
) -> int:
    """Knots of a beat: more at steps to slow music, at jumps and in quick moves.

    Args:
        placed: the moves.
        beat_length: length of a beat [s].
        most: time between knots that is not exceeded [s]; 0 for none.
    """
    steps = [s for p in placed for s in p.move.steps]
    spacing = STEPPING if steps else STANDING
    if any(s.feet == "none" for s in steps):
        spacing = FLYING
    asked = [most, *(p.move.knot_spacing for p in placed)]
    spacing = min([spacing, *(s for s in asked if s > 0)])
    cycles = [p.move.length(p.values) for p in placed if p.move.curves]
    least = KNOTS_PER_CYCLE / min(cycles, default=1.0)
    fine = [n for n in KNOTS_PER_BEAT if beat_length / n <= spacing and n >= least]
    return fine[0] if fine else KNOTS_PER_BEAT[-1]
