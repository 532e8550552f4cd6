"""What pushed in a run that the model does not know: as plain data, and in words.

count      warnings in all
warnings   the latest: when it was noticed and when it was over (None for not yet), in
           time of the behavior, the joint that felt it most against what is usual, and
           the greatest torque there that nothing known explains
"""

from typing import Any

from mpc.force_detector import DetectorMemory


def warning_metrics(
    memory: DetectorMemory | None, start: float = 0.0
) -> dict[str, Any] | None:
    """The warnings of a detector; None where nobody watched.

    Args:
        memory: of the detector at the end.
        start: when the behavior started on its clock [s]; times are from there.
    """
    if memory is None:
        return None
    return {
        "count": memory.count,
        "warnings": [
            {
                "time_s": w.time - start,
                "until_s": None if w.until is None else w.until - start,
                "joint": w.joint,
                "torque_Nm": w.torque,
            }
            for w in memory.warnings
        ],
    }


def warnings_in_words(name: str, story: dict[str, Any] | None) -> str:
    """One sentence about forces that the model does not know; empty without any."""
    if not story or not story["count"]:
        return ""
    first = story["warnings"][0]
    times = f"{story['count']} times, first" if story["count"] > 1 else "once,"
    return (
        f"{name}: something pushed that the model does not know, {times} at "
        f"{first['time_s']:.2f} s ({first['torque_Nm']:.0f} N m at {first['joint']})."
    )
