"""Fitting: a motion for another robot, as large as this robot can do it.

Lengths that go with the legs may still be too long for arms, motors or the distance
between limbs. The motion is then tried smaller, step by step, and the first that is
found and verified is built.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from backbeat.behaviors.library.behavior import Behavior, Progress
from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.specification.kinds import read_specification, text_of
from backbeat.behaviors.specification.transfer import DIGITS
from backbeat.models.common.errors import BackbeatError

# Shares of the size of the legs that are tried, in turn.
SIZES = (0.95, 0.9, 0.8, 0.65, 0.5)
# Solves and verifies a specification with its text; raises BackbeatError where that
# fails.
Attempt = Callable[[Specification, str], Behavior]


def is_transferred(specification: Specification, path: str | Path) -> bool:
    """Whether a specification is for another robot than its file says."""
    if Path(path).suffix not in (".yaml", ".yml"):
        return False
    written, _ = read_specification(path)
    return written.scale != specification.scale


def fitted(
    specification: Specification,
    text: str,
    path: str | Path,
    attempt: Attempt,
    progress: Progress,
) -> Behavior:
    """The motion at its size, or the largest below it where it is for another robot.

    Args:
        specification: the motion.
        text: its text.
        path: the file that it was made of.
        attempt: as it is built.
        progress: called as the work goes on.

    Raises:
        BackbeatError: none was found at any size that is tried; what prevents it at
            the first.
    """
    try:
        return attempt(specification, text)
    except BackbeatError as error:
        if not is_transferred(specification, path):
            raise
        first = error
    for size in SIZES:
        progress(0.1, f"failed, now at {size:g} times the size")
        scale = round(size * specification.scale, DIGITS)
        other = replace(specification, scale=scale)
        try:
            behavior = attempt(other, text_of(other, text, path))
        except BackbeatError as error:
            if error.repeats(first):
                raise first from None  # It is no matter of size.
            continue
        remark = (
            f"lengths are {size:g} times those of legs as long (scale: {scale:g}), for "
            f"at that size: {first.without(path)}"
        )
        known: list[str] = behavior.provenance["remarks"]  # type: ignore[assignment]
        made = {**behavior.provenance, "remarks": [remark, *known]}
        return replace(behavior, provenance=made)
    raise first.reworded(
        first.and_then(
            f"; smaller was tried too, down to {SIZES[-1]:g} times the size, and failed"
        )
    )
