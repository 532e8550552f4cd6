"""Definitions of all metrics of a run, by their keys in `track --json`.

`docs/reference/metrics.md` has them as a table.
"""

from typing import NamedTuple


class MetricDefinition(NamedTuple):
    """What a metric is.

    Attributes:
        unit: of its value or of all of its parts; empty for none.
        text: its definition in one sentence or two.
        parts: keys of what it is made of; empty for a single value.
    """

    unit: str
    text: str
    parts: str = ""


_Of = MetricDefinition
# What a spread and a size are made of.
TIMES, SIZES = "median, p99, max", "rms, max"
METRICS = {
    "behavior": _Of("", "Name of the behavior."),
    "robot": _Of("", "Name of the robot."),
    "scenario": _Of("", "All settings of the run."),
    "engine": _Of("", "What simulated: drake, mujoco or own."),
    "controller": _Of("", "Name, file and hash of a controller of one's own, if any."),
    "seed": _Of("", "Seed of all random numbers."),
    "state": _Of("", "What the controllers read, in words."),
    "estimate_error": _Of(
        "mm, mm/s, mrad, mrad/s",
        "Error of the estimated state against the true one, within the behavior: "
        "place, height and velocity of the base, angle between the true and the "
        "estimated vertical, heading, positions and velocities of joints. None without "
        "an estimator.",
        "place, height, velocity, tilt, heading, joint_position, joint_velocity: rms, "
        "max",
    ),
    "duration_s": _Of("s", "How much of the behavior was played."),
    "fell": _Of("", "Whether the referee saw a fall."),
    "fell_at_s": _Of("s", "When; None for never."),
    "survived": _Of(
        "",
        "Whether the robot recovered from every disturbance: not fallen, upright, its "
        "center of mass no faster than 0.05 m/s against the behavior, and the behavior "
        "resumed, 4 s after the end of the disturbance, or at the end of the run where "
        "it lasts until then.",
    ),
    "realtime_factor": _Of(
        "", "Simulated time over wall time of this very run, logging included."
    ),
    "tick_ms": _Of("ms", "Wall time of the whole-body controller's ticks.", TIMES),
    "plan_ms": _Of("ms", "Wall time of plans.", TIMES),
    "plan_cpu_ms": _Of("ms", "Processor time of plans.", TIMES),
    "plan_failures": _Of("", "Plans that were not solved."),
    "plan_overruns": _Of("", "Plans that took longer than `plan_period`."),
    "tick_failures": _Of("", "Ticks whose program was not solved."),
    "ticks_lost": _Of("", "Ticks that were due and not done."),
    "safety": _Of(
        "s",
        "What each controller did without a solved program: time in every mode of the "
        "fail-safe, and causes.",
        "whole_body, predictive, remote",
    ),
    "fall_declared_s": _Of("s", "When the first controller declared a fall."),
    "unknown_forces": _Of(
        "N", "Forces that are not in the model: warnings of the observer."
    ),
    "softened_servos": _Of(
        "", "Joints whose servo gains were lowered for delay and lag."
    ),
    "com_error_mm": _Of(
        "mm",
        "Distance of the center of mass from the behavior's, at the controller's own "
        "phase.",
        SIZES,
    ),
    "com_error_at_nominal_time_mm": _Of(
        "mm", "The same against the behavior at the nominal time.", SIZES
    ),
    "joint_error_deg": _Of(
        "deg",
        "Joints that turn, against the behavior at the controller's phase.",
        SIZES,
    ),
    "slide_error_mm": _Of("mm", "The same of joints that slide.", SIZES),
    "foot_slip_mm": _Of(
        "mm", "Farthest any corner of a standing sole got from where it stood."
    ),
    "seat_slip_mm": _Of("mm", "The same of other patches, such as a seat."),
    "torque_peak_fraction": _Of(
        "", "Largest share of its effort limit that a joint or motor gave."
    ),
    "torque_peak_joint": _Of("", "Which joint that was."),
    "strained_joints": _Of(
        "",
        "Joints with a mean effort or speed beyond what their motors bear for long; a "
        "verdict of its own.",
    ),
    "beat_error_ms": _Of(
        "ms",
        "How late the controller's phase is on every beat; positive is late.",
        "mean, sd, max",
    ),
    "jerk": _Of(
        "rad/s^3",
        "Jerk by joint group: planned from the plan's own curves, measured from a "
        "cubic fitted to velocities.",
        "planned, measured",
    ),
    "range": _Of(
        "m, rad",
        "Range of motion of the center of mass and of the joint that moves most, so "
        "that standing still cannot pass.",
        "commanded, achieved: com_m, widest_joint, widest_joint_rad",
    ),
    "upper_body": _Of(
        "mm", "How far a hand was from its target, once that has come to its speed."
    ),
    "pushes": _Of(
        "",
        "Of each disturbance: when, what, whether it was survived, farthest "
        "the center of mass moved, and the state at the instant of judgement.",
        "time_s, survived, com_moved_mm, com_speed_error, com_height_error, "
        "tilt_error, phase_rate, late",
    ),
    "compliant": _Of("", "Gains and largest displacement of compliant joints."),
    "drive": _Of("", "Speed and steps of a robot that is driven."),
    "hits": _Of(
        "",
        "Hits on drums: how many were planned, made, missed and extra, error against "
        "the authored time, distance from the target, and least speed.",
        "planned, made, missed, extra, timing_mean_ms, timing_bias_ms, timing_sd_ms, "
        "timing_max_ms, position_max_mm, speed_min_m_s",
    ),
    "rests": _Of("", "Periods in which a hand is to rest, and how still it was."),
    "markers": _Of(
        "ms",
        "How late the extremes of a dance's moves came, by move.",
        "move, track, count, missing, mean_ms, sd_ms, max_ms",
    ),
}


def metric_table() -> str:
    """Markdown table of all metrics."""
    head = "| metric | unit | definition | parts |\n|---|---|---|---|\n"
    return head + "".join(
        f"| `{name}` | {of.unit} | {of.text} | {_code(of.parts)} |\n"
        for name, of in METRICS.items()
    )


def _code(parts: str) -> str:
    """Keys in backquotes, one by one."""
    words = parts.replace(":", " :").split()
    plain = (
        w if w == ":" else f"`{w.rstrip(',')}`" + "," * w.endswith(",") for w in words
    )
    return " ".join(plain).replace(" :", ":")
