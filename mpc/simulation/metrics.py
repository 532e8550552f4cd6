"""Metrics of a run: the machine-readable results and what their words mean.

CoM error       distance of the center of mass from the behavior's, at the
nominal time and at the controller's own phase
beat error      how late the controller's phase is, on every beat
foot, seat slip farthest any corner of a standing sole, or of another patch, got from
                where it stood
rests           see `mpc.simulation.rests`
markers         how late the extremes of a dance's moves came, by move
joint error     against the behavior at the controller's phase
jerk            largest and rms by joint group: planned from the plan's own curves,
                measured from a cubic fitted to velocities, see `behaviors.joint_jerk`
range           commanded and achieved, so that standing still cannot pass
survived        see `mpc.simulation.survival`
strained joints see `mpc.simulation.joint_strain`; a verdict of its own
upper body      how far its hand was from the target, when that has come to its speed
safety          what controllers did without solved programs, see
`mpc.simulation.safety_metrics`; the fall they declare is theirs, `fell` the
referee's
ticks lost      ticks that were due and not done, see `mpc.simulation.tick_loss`
unknown forces  what pushed that the model does not know, see
`mpc.simulation.force_warnings`
realtime factor simulated time by wall time of this very run, logging included
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from behaviors.dance.markers import marker_figures
from behaviors.joint_jerk import jerk_of_motion, jerk_of_samples, jerk_story
from models.configuration import Configuration
from mpc.reference import Reference
from mpc.simulation.asked_tempo import asked_tempo
from mpc.simulation.estimate_error import estimate_error
from mpc.simulation.force_warnings import warning_metrics
from mpc.simulation.hand_error import hand_figures
from mpc.simulation.joint_softness import compliance_metrics
from mpc.simulation.joint_strain import strained_joints
from mpc.simulation.plan_channel import plans_in_force
from mpc.simulation.safety_metrics import safety_metrics
from mpc.simulation.scenario import Push
from mpc.simulation.servo_check import softened_servos
from mpc.simulation.survival import RECOVERY, judge, survived

# What the controllers read, in words.
STATE = {
    "true": "true state, no estimator",
    "estimated": "state estimated from noisy and late sensors",
}

if TYPE_CHECKING:
    from mpc.simulation.run import SimulationRun


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


class RunAnalysis:
    """Kinematics of a run, computed once and used by all metrics.

    Attributes:
        t: (M,) times within the behavior [s].
        phase: (M,) phase of the controller [s].
        com: (M, 3) center of mass [m].
        com_planned, com_nominal: (M, 3) the behavior's, at the phase and where the
            tempo asked for has it.
        tempo: what was asked for.
        joints, joints_planned: (M, nj) angles [rad].
        speeds: (M, nj) velocities of joints [rad/s].
        corners: (M, 4 C, 3) corners of the patches [m].
        standing: (M, C) whether the behavior has a patch on its support.
    """

    def __init__(self, run: "SimulationRun", reference: Reference) -> None:
        """Computes the kinematics of `run`."""
        self.run, self.reference = run, reference
        robot = reference.robot
        self.tempo = asked_tempo(run.scenario)
        ends = self.tempo.when(reference.duration)
        inside = run.samples_until(ends)
        self.t, x = run.t[inside], run.x[inside]
        self.effort = run.effort[inside]
        self.phase = self._phases()
        nq, M = robot.num_positions, len(self.t)
        C = len(reference.patches)
        self.com, self.corners = np.zeros((M, 3)), np.zeros((M, 4 * C, 3))
        self.com_planned, self.com_nominal = np.zeros((M, 3)), np.zeros((M, 3))
        self.joints = x[:, robot.base_positions : nq]
        self.speeds = x[:, nq + robot.base_velocities :]
        self.joints_planned = np.zeros_like(self.joints)
        self.standing = np.zeros((M, C), bool)
        state, sample_at = Configuration(robot, x[0, :nq]), reference.sampler()
        for i in range(M):
            state.update(x[i, :nq])
            self.com[i] = state.center_of_mass
            for c, name in enumerate(reference.patches):
                corners = robot.contacts[name].corners().T
                places = state.pose(name).multiply(corners).T
                self.corners[i, 4 * c : 4 * c + 4] = places
            sample = sample_at(self.phase[i])
            self.com_planned[i] = sample.com[0]
            self.joints_planned[i] = sample.q[robot.base_positions :]
            self.standing[i] = sample.standing
            asked = self.tempo.phase(float(self.t[i]))
            self.com_nominal[i] = sample_at(asked).com[0]

    def _phases(self) -> np.ndarray:
        """Phase of the plan in force at every sample."""
        clock = self.t + self.run.scenario.lead_in
        plans, index = plans_in_force(self.run.plans, self.run.scenario, clock)
        phases = [plans[k].phase_at(t) for k, t in zip(index, clock, strict=True)]
        return np.array(phases)

    def slip(self, patches: Collection[str]) -> float:
        """Farthest a corner of standing patches got from where it first stood [m]."""
        worst = 0.0
        for c, name in enumerate(self.reference.patches):
            if name not in patches:
                continue
            on = self.standing[:, c]
            starts = np.where(on & ~np.r_[False, on[:-1]])[0]
            for start in starts:
                end = start
                while end + 1 < len(on) and on[end + 1]:
                    end += 1
                corners = self.corners[start : end + 1, 4 * c : 4 * c + 4]
                away = np.linalg.norm((corners - corners[0])[..., :2], axis=2)
                worst = max(worst, float(away.max()))
        return worst

    def recovery(self, push: Push) -> dict[str, object]:
        """Whether the robot got over a push, and how far it was moved.

        `survived` is None when the run ended, without a fall, before it could be
        told.
        """
        after = self.t >= push.time
        away = np.linalg.norm(self.com - self.com_planned, axis=1)[after]
        judged = push.time + push.duration + RECOVERY
        found = None if self.run.fell else judge(self.run, self.reference, judged)
        return {
            "time_s": push.time,
            "impulse_Ns": list(push.impulse),
            "body": push.body,
            "survived": False if self.run.fell else found and found.survived,
            "com_moved_mm": float(away.max(initial=0.0)) * 1e3,
            "com_speed_error": found and found.com_speed_error,
            "com_height_error": found and found.com_height_error,
            "tilt_error": found and found.tilt_error,
            "phase_rate": found and found.phase_rate,
            "late": found and found.late,
        }

    def beat_errors(self) -> np.ndarray:
        """Delay of the controller's phase on every beat [ms]; positive is late."""
        beats = self.run.behavior.beat_times(self.tempo.phase(float(self.t[-1])))
        if not len(beats):
            return beats
        asked = [self.tempo.when(float(beat)) for beat in beats]
        return np.asarray((beats - np.interp(asked, self.t, self.phase)) * 1e3)


def run_metrics(run: "SimulationRun") -> dict[str, object]:
    """All metrics of a run as plain data, ready for JSON."""
    reference = Reference(run.behavior)
    analysis = RunAnalysis(run, reference)
    robot = reference.robot
    planned = np.linalg.norm(analysis.com - analysis.com_planned, axis=1) * 1e3
    nominal = np.linalg.norm(analysis.com - analysis.com_nominal, axis=1) * 1e3
    joint = np.degrees(analysis.joints - analysis.joints_planned)
    beats = analysis.beat_errors()
    share = np.abs(analysis.effort) / robot.effort_limits
    j = int(np.unravel_index(share.argmax(), share.shape)[1])
    last = run.t[-1] - run.t[0]
    metrics: dict[str, object] = {
        "behavior": run.behavior.name,
        "scenario": run.scenario.to_dict(),
        "seed": run.scenario.seed,
        "state": STATE[str(run.scenario.state)],
        "estimate_error": estimate_error(run),
        "duration_s": float(min(run.t[-1], analysis.tempo.when(reference.duration))),
        "fell": run.fell,
        "fell_at_s": run.fell_at,
        "survived": survived(run, reference),
        "realtime_factor": float(last / run.wall_time),
        "tick_ms": spread(run.tick_ms),
        "plan_ms": spread(run.plan_ms),
        "plan_cpu_ms": spread(
            1e3 * np.array([p.solve_cpu for p in run.plans if p.iterations])
        ),
        "plan_failures": sum(not p.is_fresh for p in run.plans),
        "plan_overruns": int((run.plan_ms > run.scenario.plan_period * 1e3).sum()),
        "tick_failures": run.failures,
        "ticks_lost": run.ticks_lost,
        "safety": _safety(run),
        "fall_declared_s": _declared(run),
        "unknown_forces": warning_metrics(run.detection, run.scenario.lead_in),
        "softened_servos": softened_servos(reference, run.scenario),
        "com_error_mm": size(planned),
        "com_error_at_nominal_time_mm": size(nominal),
        "joint_error_deg": size(joint),
        "foot_slip_mm": analysis.slip(robot.soles) * 1e3,
        "seat_slip_mm": analysis.slip(set(reference.patches) - set(robot.soles)) * 1e3,
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
        "beat_error_ms": _signed(beats),
        "jerk": _jerk(analysis),
        "range": _ranges(analysis),
    }
    metrics["upper_body"] = hand_figures(run, reference)
    metrics["pushes"] = [analysis.recovery(push) for push in run.scenario.pushes]
    metrics["compliant"] = compliance_metrics(analysis)
    hits = run.hits()
    metrics["hits"] = hits.metrics() if hits is not None else None
    rests = run.rests()
    metrics["rests"] = rests.to_dict("records") if rests is not None else None
    markers = run.markers()
    metrics["markers"] = marker_figures(markers) if markers is not None else None
    return metrics


def _safety(run: "SimulationRun") -> dict[str, object]:
    start = run.scenario.lead_in
    end = float(run.t[-1]) + start
    stories = {"whole_body": run.tick_safety, "predictive": run.plan_safety}
    if run.link_safety is not None:
        stories["remote"] = run.link_safety
    return {name: safety_metrics(s, end, start) for name, s in stories.items()}


def _declared(run: "SimulationRun") -> float | None:
    """When the first controller declared a fall [s], None for never."""
    times = [s.fell_at for s in (run.tick_safety, run.plan_safety)]
    known = [t - run.scenario.lead_in for t in times if t is not None]
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
