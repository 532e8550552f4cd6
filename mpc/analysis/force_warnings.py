"""Warnings of forces that are not in the model: as plain data, and in words.

count      warnings in all
warnings   the latest: when it was noticed and when it was over (None for not yet), in
           time of the behavior; the link on which it acts, as far as it can be
           determined; the greatest force that nothing known explains (None where
           nothing feels the forces on the feet); the joint that felt it most against
           what is usual, and the greatest torque there
"""

from typing import Any

from backbeat.mpc.monitoring.force_detection import DetectorMemory


def warning_metrics(
    memory: DetectorMemory | None, start: float = 0.0
) -> dict[str, Any] | None:
    """The warnings of a detector; None without one.

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
                "link": w.link,
                "force_N": w.force,
                "joint": w.joint,
                "torque_Nm": w.torque,
            }
            for w in memory.warnings
        ],
    }


def warnings_in_words(name: str, story: dict[str, Any] | None) -> str:
    """One sentence about forces that are not in the model; empty without any."""
    if not story or not story["count"]:
        return ""
    first = story["warnings"][0]
    times = f"{story['count']} times, first" if story["count"] > 1 else "once,"
    felt = f"{first['torque_Nm']:.0f} N m at {first['joint']}"
    if first["force_N"] is not None:
        felt = f"{first['force_N']:.0f} N, {felt}"
    return (
        f"{name}: an external force that is not in the model, {times} at "
        f"{first['time_s']:.2f} s, probably on {first['link']} ({felt})."
    )
