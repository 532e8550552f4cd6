"""Numbers of bars as a file has them, before which a hold was put."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from backbeat.behaviors.music.files.tablature import are_apart, groups_of
from backbeat.behaviors.music.notation.score_description import ScoreDescription
from backbeat.models.common.errors import BackbeatError

_BAR = re.compile(r"\bbar (\d+), beat")


def in_own_bars(sentence: str, before: int) -> str:
    """A sentence about bars of a score, with the numbers of the file.

    Args:
        sentence: it says "bar 3, beat 1".
        before: how many bars were put before those of the file.
    """

    def own(found: re.Match[str]) -> str:
        bar = int(found[1]) - before
        return f"bar {bar}, beat" if bar > 0 else "the bars before the first, beat"

    return _BAR.sub(own, sentence)


@contextmanager
def own_bars(before: int) -> Iterator[None]:
    """Errors inside are told with the bars of the file; `before` as above."""
    try:
        yield
    except BackbeatError as error:
        raise BackbeatError(in_own_bars(str(error), before)) from None


def apart_in_words(read: ScoreDescription) -> list[str]:
    """A remark where rows with blank lines between are played together."""
    groups = (groups_of(part.tab) for part in read.parts if part.tab)
    lines = [g[0][0][0] for g in groups if are_apart(g)]
    if not lines:
        return []
    return [
        f"from line {lines[0]} on, rows with blank lines between sound together; a "
        "line such as [fill] between them would have them follow each other"
    ]
