"""What the controllers did without solved programs: counts, times and falls.

mode            what a controller did at the end of the run
failures        by cause: how often, when first, and the message
seconds         time spent in each mode
fall_declared_s when the controller declared a fall, by which sign; None for never
"""

from typing import Any

from backbeat.mpc.safety.fail_safe import Mode, Safety


def safety_metrics(safety: Safety, end: float, start: float = 0.0) -> dict[str, Any]:
    """The story of one controller as plain data.

    Args:
        safety: its memory at the end.
        end: end of the run on the controller's clock [s].
        start: when the behavior started on that clock [s]; times are from there.
    """
    return {
        "mode": str(safety.mode),
        "failures": {
            str(cause): {
                "count": f.count,
                "first_s": f.first - start,
                "message": f.message,
            }
            for cause, f in safety.failures.items()
        },
        "seconds": {str(mode): safety.time_in(mode, end) for mode in Mode},
        "fall_declared_s": None if safety.fell_at is None else safety.fell_at - start,
        "sign": safety.fall,
    }


def in_words(name: str, story: dict[str, Any]) -> str:
    """One sentence about a controller that had no answer once; empty otherwise."""
    parts = [
        f"{f['count']} x {cause} from {f['first_s']:.2f} s"
        + (f" ({f['message']})" if f["message"] else "")
        for cause, f in story["failures"].items()
    ]
    parts += [
        f"{mode} for {story['seconds'][mode]:.2f} s"
        for mode in (str(Mode.CARRYING), str(Mode.HOLDING))
        if story["seconds"][mode] > 0
    ]
    if story["fall_declared_s"] is not None:
        parts.append(
            f"declared a fall at {story['fall_declared_s']:.2f} s: {story['sign']}"
        )
    return f"{name}: {'; '.join(parts)}." if parts else ""
