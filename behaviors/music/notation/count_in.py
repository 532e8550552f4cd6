"""Count-in: sticks that are clicked together before the music begins.

They are heard and not played: hands rest, or are on their way to the first drum.
"""

from backbeat.behaviors.music.notation.meter import MeterMap
from backbeat.models.common.errors import BackbeatError

# Most clicks.
MOST_CLICKS = 16


def count_in_beats(
    count: int, start: float, meter: MeterMap, where: str
) -> list[float]:
    """Beats of a count-in, a pulse apart, the last of them before the music.

    Args:
        count: how many there are.
        start: beat at which the music begins; in the midst of a pulse it is counted in
            as at its beginning.
        meter: the bars.
        where: names the file in errors.

    Raises:
        BackbeatError: so many do not fit before the music.
    """
    if not count:
        return []
    before = [p.beat for p in meter.pulses(start)][:-1]
    if len(before) < count:
        raise BackbeatError(
            f"{where}: count_in is {count}, and {len(before)} beats are before the "
            "music begins; let it begin later, or count less",
            path=("count_in",),
        )
    return before[-count:]
