"""Metrics of a run: the machine-readable results.

`backbeat.mpc.runs.metric_definitions` says what each of them is.
"""

import numpy as np

from backbeat.behaviors.dance.markers import marker_figures
from backbeat.behaviors.library.joint_jerk import (
    jerk_of_motion,
    jerk_of_samples,
    jerk_story,
)
from backbeat.mpc.analysis.compliance import compliance_metrics
from backbeat.mpc.analysis.drumming.hits import run_hits
from backbeat.mpc.analysis.drumming.rests import run_rests
from backbeat.mpc.analysis.estimate_error import estimate_error
from backbeat.mpc.analysis.force_warnings import warning_metrics
from backbeat.mpc.analysis.hand_error import hand_figures
from backbeat.mpc.analysis.kinematics import RunAnalysis
from backbeat.mpc.analysis.marker_errors import run_markers
from backbeat.mpc.analysis.safety_metrics import safety_metrics
from backbeat.mpc.analysis.survival import survived
from backbeat.mpc.driving.speed import commanded_speeds, drive_figures
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.settings import all_events
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.world.joint_strain import strained_joints
from backbeat.mpc.world.limits_reached import limits_reached
from backbeat.mpc.world.servo_check import softened_servos

# What the controllers read, in words.
STATE = {
    "true": "true state, no estimator",
    "estimated": "state estimated from noisy and late sensors",
    "sampled": "samples of encoders, no estimator",
}


def spread(values: np.ndarray) -> dict[str, float | None]:
    """Median, 99th percentile and largest of some times [ms]; None without any."""
    if len(values) == 0:
        return dict.fromkeys(("median", "p99", "max"))
    return {
        "median": float(np.median(values)),
        "p99": float(np.percentile(values, 99)),
        "max": float(values.max()),
    }


def size(values: np.ndarray) -> dict[str, float | None]:
    """Root mean square and largest absolute value; None without any."""
    if len(values) == 0:
        return dict.fromkeys(("rms", "max"))
    return {
        "rms": float(np.sqrt(np.mean(values**2))),
        "max": float(np.abs(values).max()),
    }


def run_metrics(run: SimulationRun) -> dict[str, object]:
    """All metrics of a run as plain data, ready for JSON."""
    reference = Reference(run.behavior)
    analysis = RunAnalysis(run, reference)
    metrics: dict[str, object] = {
        "behavior": run.behavior.name,
        "robot": run.behavior.robot_model.name,
        "scenario": run.scenario.to_dict(),
        "engine": run.scenario.world.engine,
        **({"controller": dict(run.controller)} if run.controller else {}),
        "seed": run.scenario.seed,
        "state": STATE[str(run.scenario.sensing.state)],
        "estimate_error": estimate_error(run),
        "duration_s": float(min(run.t[-1], analysis.end)),
        "fell": run.fell,
        "fell_at_s": run.fell_at,
        "survived": survived(run, reference),
    }
    metrics |= _computing(run)
    metrics |= {
        "safety": _safety(run),
        "fall_declared_s": _declared(run),
        "unknown_forces": warning_metrics(run.detection, run.scenario.timing.lead_in),
        # Torques of a law have no servos below them.
        "softened_servos": []
        if run.scenario.control.task_space is not None
        else softened_servos(reference, run.scenario.latency, run.scenario.sampling),
    }
    metrics |= _tracking(analysis) | _efforts(analysis)
    metrics |= {
        "beat_error_ms": _signed(analysis.beat_errors()),
        "jerk": _jerk(analysis),
        "range": _ranges(analysis),
        "upper_body": hand_figures(run, reference),
        "pushes": [
            analysis.recovery(item)
            for item in run.scenario.disturbances.everything()
            if item.span()
        ],
        "compliant": compliance_metrics(analysis),
        "drive": _drive(run, reference),
    }
    hits = run_hits(run)
    metrics["hits"] = hits.metrics() if hits is not None else None
    rests = run_rests(run)
    metrics["rests"] = rests.to_dict("records") if rests is not None else None
    markers = run_markers(run)
    metrics["markers"] = marker_figures(markers) if markers is not None else None
    return metrics


def _drive(run: SimulationRun, reference: Reference) -> dict[str, object] | None:
    """Speed and steps of a robot that is driven; None of one that is not."""
    if run.scenario.control.drive is None:
        return None
    inside = run.samples_until()
    q = run.x[inside, :7]
    yaw = np.arctan2(
        2 * (q[:, 0] * q[:, 3] + q[:, 1] * q[:, 2]),
        1 - 2 * (q[:, 2] ** 2 + q[:, 3] ** 2),
    )
    commands = [
        (event.time, (event.drive[0], event.drive[1], event.drive[2]))
        for event in all_events(run.scenario)
        if event.drive is not None
    ]
    base = np.column_stack([q[:, 4:6], yaw])
    weights = run.weights.predictive
    speeds = commanded_speeds(reference, weights, commands, run.t[inside], base)
    return drive_figures(speeds, (plan.walk for plan in run.plans))


def _computing(run: SimulationRun) -> dict[str, object]:
    """Times of plans and ticks [ms], and what of them failed or was lost."""
    last = run.t[-1] - run.t[0]
    busy = 1e3 * np.array([p.solve_cpu for p in run.plans if p.solve_time])
    return {
        "realtime_factor": float(last / run.wall_time),
        "tick_ms": spread(run.tick_ms),
        "plan_ms": spread(run.plan_ms),
        "plan_cpu_ms": spread(busy),
        "plan_failures": sum(not p.is_fresh for p in run.plans),
        "plan_overruns": int(
            (run.plan_ms > run.scenario.timing.plan_period * 1e3).sum()
        ),
        "tick_failures": run.failures,
        "ticks_lost": run.ticks_lost,
    }


def _tracking(analysis: RunAnalysis) -> dict[str, object]:
    """How far CoM, joints and patches are from where they belong."""
    reference = analysis.reference
    soles = reference.robot.soles
    planned = np.linalg.norm(analysis.com - analysis.com_planned, axis=1) * 1e3
    nominal = np.linalg.norm(analysis.com - analysis.com_nominal, axis=1) * 1e3
    turns = reference.robot.tree.revolute
    off = analysis.joints - analysis.joints_planned
    if analysis.run.scenario.control.task_space is not None:
        # Nothing is planned; `upper_body` has the hand.
        planned, nominal, off = planned[:0], nominal[:0], off[:0]
    return {
        "com_error_mm": size(planned),
        "com_error_at_nominal_time_mm": size(nominal),
        "joint_error_deg": size(np.degrees(off[:, turns]).ravel()),
        "slide_error_mm": size(off[:, ~turns].ravel() * 1e3),
        "foot_slip_mm": analysis.slip(soles) * 1e3,
        "seat_slip_mm": analysis.slip(set(reference.patches) - set(soles)) * 1e3,
    }


def _efforts(analysis: RunAnalysis) -> dict[str, object]:
    """The largest share of its effort limit that a joint gave, and strained joints."""
    robot = analysis.reference.robot
    share = robot.motors.shares(analysis.effort)
    j = int(np.unravel_index(share.argmax(), share.shape)[1])
    return {
        "torque_peak_fraction": float(share.max()),
        "torque_peak_joint": robot.joint_names[j],
        "strained_joints": strained_joints(
            analysis.t,
            analysis.effort,
            analysis.speeds,
            robot.effort_limits,
            robot.velocity_limits,
            robot.joint_names,
        ),
        "limits_reached": limits_reached(
            robot, analysis.t, analysis.joints, analysis.speeds, share
        ),
    }


def _safety(run: SimulationRun) -> dict[str, object]:
    start = run.scenario.timing.lead_in
    end = float(run.t[-1]) + start
    stories = {"whole_body": run.tick_safety, "predictive": run.plan_safety}
    if run.link_safety is not None:
        stories["remote"] = run.link_safety
    return {name: safety_metrics(s, end, start) for name, s in stories.items()}


def _declared(run: SimulationRun) -> float | None:
    """When the first controller declared a fall [s], None for never."""
    times = [s.fell_at for s in (run.tick_safety, run.plan_safety)]
    known = [t - run.scenario.timing.lead_in for t in times if t is not None]
    return min(known, default=None)


def _signed(values: np.ndarray) -> dict[str, float]:
    if len(values) == 0:
        return {"mean": 0.0, "sd": 0.0, "max": 0.0}
    return {
        "mean": float(values.mean()),
        "sd": float(values.std()),
        "max": float(np.abs(values).max()),
    }


def _jerk(analysis: RunAnalysis) -> dict[str, object]:
    """Jerk by joint group, as planned and as measured [rad/s^3]."""
    robot, run = analysis.reference.robot, analysis.run
    planned = jerk_of_motion(robot, run.behavior.motion)
    measured = jerk_of_samples(robot, analysis.t, analysis.speeds)
    return {"planned": jerk_story(planned), "measured": jerk_story(measured)}


def _ranges(analysis: RunAnalysis) -> dict[str, dict[str, object]]:
    """Range of motion of CoM [m] and of the widest joint [rad]."""
    robot = analysis.reference.robot
    result: dict[str, dict[str, object]] = {}
    for key, com, joints in (
        ("commanded", analysis.com_planned, analysis.joints_planned),
        ("achieved", analysis.com, analysis.joints),
    ):
        joint_range = np.ptp(joints, axis=0)
        widest = int(joint_range.argmax())
        result[key] = {
            "com_m": np.ptp(com, axis=0).tolist(),
            "widest_joint": robot.joint_names[widest],
            "widest_joint_rad": float(joint_range[widest]),
        }
    return result
