"""RunAnalysis: kinematics of a run beside the behavior's, for all metrics."""

from collections.abc import Collection

import numpy as np

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.survival import RECOVERY, judge
from backbeat.mpc.control.plan_channel import PlanDelivery, plans_in_force
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.requested_tempo import requested_tempo
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.walking.writer import reference_on


class RunAnalysis:
    """Kinematics of a run, computed once and used by all metrics.

    Attributes:
        t: (M,) times within the behavior [s].
        phase: (M,) phase of the controller [s].
        com: (M, 3) center of mass [m].
        com_planned, com_nominal: (M, 3) the behavior's, at the phase and where the
            requested tempo has it.
        tempo: requested.
        end: of the behavior [s]; infinite of a robot that is driven.
        joints, joints_planned: (M, nj) angles [rad].
        speeds: (M, nj) velocities of joints [rad/s].
        corners: (M, 4 C, 3) corners of the patches [m].
        standing: (M, C) whether the behavior has a patch on its support.
        edge: (M, C) how far ahead the edge is on which it has it [m], or 0.
    """

    def __init__(self, run: SimulationRun, reference: Reference) -> None:
        """Computes the kinematics of `run`."""
        self.run, self.reference = run, reference
        robot = reference.robot
        self.tempo = requested_tempo(run.scenario.disturbances)
        is_driven = run.scenario.control.drive is not None
        self.end = np.inf if is_driven else self.tempo.when(reference.duration)
        inside = run.samples_until(self.end)
        self.t, x = run.t[inside], run.x[inside]
        self.effort = run.effort[inside]
        self.phase, followed = self._follow()
        nq, M = robot.num_positions, len(self.t)
        C = len(reference.patches)
        self.com, self.corners = np.zeros((M, 3)), np.zeros((M, 4 * C, 3))
        self.com_planned, self.com_nominal = np.zeros((M, 3)), np.zeros((M, 3))
        self.joints = x[:, robot.base_positions : nq]
        self.speeds = x[:, nq + robot.base_velocities :]
        self.joints_planned = np.zeros_like(self.joints)
        self.standing, self.edge = np.zeros((M, C), bool), np.zeros((M, C))
        state = Configuration(robot, x[0, :nq])
        for i in range(M):
            state.update(x[i, :nq])
            self.com[i] = state.center_of_mass
            for c, name in enumerate(reference.patches):
                corners = robot.contacts[name].corners().T
                places = state.pose(name).multiply(corners).T
                self.corners[i, 4 * c : 4 * c + 4] = places
            sample_at = reference_on(reference, followed[i].walk).sample_at
            sample = sample_at(self.phase[i])
            self.com_planned[i] = sample.com[0]
            self.joints_planned[i] = sample.q[robot.base_positions :]
            self.standing[i], self.edge[i] = sample.standing, sample.edge
            asked = self.tempo.phase(float(self.t[i]))
            self.com_nominal[i] = sample_at(asked).com[0]

    def _follow(self) -> tuple[np.ndarray, list[Plan]]:
        """(M,) phase at every sample, and the plan in force."""
        clock = self.t + self.run.scenario.timing.lead_in
        plans, index = plans_in_force(
            self.run.plans, PlanDelivery.of(self.run.scenario), clock
        )
        followed = [plans[k] for k in index]
        phases = [p.phase_at(t) for p, t in zip(followed, clock, strict=True)]
        return np.array(phases), followed

    def slip(self, patches: Collection[str]) -> float:
        """Farthest a corner of standing patches got from where it first stood [m].

        Of a patch on an edge those of the edge count.
        """
        worst = 0.0
        for c, name in enumerate(self.reference.patches):
            if name not in patches:
                continue
            on, edge = self.standing[:, c], self.edge[:, c]
            ahead = self.reference.robot.contacts[name].corners()[:, 0]
            begins = on & (~np.r_[False, on[:-1]] | np.r_[False, np.diff(edge) != 0])
            for start in np.where(begins)[0]:
                end = start
                while end + 1 < len(on) and on[end + 1] and not begins[end + 1]:
                    end += 1
                touching = 4 * c + np.flatnonzero(ahead * edge[start] >= 0)
                corners = self.corners[start : end + 1, touching]
                away = np.linalg.norm((corners - corners[0])[..., :2], axis=2)
                worst = max(worst, float(away.max()))
        return worst

    def recovery(self, item: Disturbance) -> dict[str, object]:
        """Whether the robot got over a disturbance, and how far it was moved.

        `survived` is None when the run ended, without a fall, before it could be
        told. What lasts until then is judged at the end.

        Args:
            item: one that has a span.
        """
        begin, end = item.span() or (0.0, np.inf)
        after = self.t >= begin
        away = np.linalg.norm(self.com - self.com_planned, axis=1)[after]
        judged = end + RECOVERY if np.isfinite(end) else float(self.run.t[-1])
        found = None if self.run.fell else judge(self.run, self.reference, judged)
        return {
            "time_s": begin,
            **item.told(),
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
