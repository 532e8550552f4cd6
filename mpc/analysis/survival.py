"""Survival: whether a robot recovered from the disturbances of a run.

It survived when, at the instant of judgement, it had not fallen and was upright,
its center of mass was no faster than 0.05 m/s against the behavior, and the behavior
had been resumed: it was on the beat, whose time a robot that was held up has to take
back, or over the last second at the requested tempo, for within a step a plan may be
ahead or behind. What has an end, such as a push, is judged 4 s after it, whatever acts
all the time at the end of the run.
"""

from dataclasses import dataclass

import numpy as np

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.control.plan_channel import PlanDelivery, arrivals
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.requested_tempo import requested_tempo
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.walking.writer import reference_on

# When a push is judged, after its end [s].
RECOVERY = 4.0
# Speed of the center of mass against the behavior [m/s], share of the tempo, the time
# over which that is the mean [s], and how far off it one is on the beat [s].
CALM, TEMPO, WHILE, ON_BEAT = 0.05, 0.05, 1.0, 0.02
# Upright: tilt of the trunk [rad] and height of the center of mass above the soles
# that stand [m], both against the behavior. A crouch that it does not get up from is
# no behavior resumed.
UPRIGHT, HEIGHT = np.radians(15.0), 0.05


@dataclass(frozen=True)
class Judgement:
    """The state of a robot at the instant of judgement, against the behavior.

    Attributes:
        time: the instant [s].
        com_speed_error: speed of the center of mass [m/s].
        com_height_error: height of the center of mass over the standing soles [m].
        tilt_error: angle between the trunks' axes [rad].
        phase_rate: mean tempo of the last second as a share of the requested one.
        late: requested phase, minus the one that is played [s].
    """

    time: float
    com_speed_error: float
    com_height_error: float
    tilt_error: float
    phase_rate: float
    late: float

    @property
    def survived(self) -> bool:
        """Whether all is as it should be."""
        resumed = abs(self.phase_rate - 1) <= TEMPO or abs(self.late) <= ON_BEAT
        return (
            self.com_speed_error <= CALM
            and abs(self.com_height_error) <= HEIGHT
            and self.tilt_error <= UPRIGHT
            and resumed
        )


def plan_in_force(run: SimulationRun, t: float) -> Plan:
    """The plan that had arrived at a time of the behavior."""
    start = run.scenario.timing.lead_in
    arrived = [
        p
        for when, p in arrivals(run.plans, PlanDelivery.of(run.scenario))
        if when <= t + start + 1e-9
    ]
    return arrived[-1] if arrived else run.plans[0]


def judge(run: SimulationRun, reference: Reference, t: float) -> Judgement | None:
    """Judges a run at a time of the behavior [s]; None when it ended before."""
    i = int(np.searchsorted(run.t, t - 1e-9))
    if i >= len(run.t):
        return None
    robot, x = reference.robot, run.x[i]
    nq = robot.num_positions
    state = Configuration(robot, x[:nq], x[nq:])
    plan, before = plan_in_force(run, t), plan_in_force(run, t - WHILE)
    clock, tempo = (
        t + run.scenario.timing.lead_in,
        requested_tempo(run.scenario.disturbances),
    )
    asked = tempo.phase(t) - tempo.phase(t - WHILE)
    phase = plan.phase_at(clock)
    sample = reference_on(reference, plan.walk).sample(phase)
    # The sample's rates are per phase.
    velocity = (
        state.momentum[3:] / robot.total_mass - plan.rate_at(clock) * sample.com[1]
    )
    height = state.center_of_mass[2] - sample.com[0, 2]
    on = np.where(sample.standing)[0]
    if len(on):
        soles = [
            state.on_edge(reference.patches[c], sample.edge[c])[0][2]
            if sample.edge[c]
            else state.pose(reference.patches[c]).translation()[2]
            for c in on
        ]
        height -= float(np.mean(soles) - sample.p_contact[on, 2].mean())
    up = state.pose(robot.trunk).rotation().matrix()[:, 2]
    tilt = np.arccos(np.clip(up @ sample.R_trunk[:, 2], -1, 1))
    return Judgement(
        float(run.t[i]),
        float(np.linalg.norm(velocity)),
        float(height),
        float(tilt),
        float(phase - before.phase_at(clock - WHILE)) / asked,
        float(tempo.phase(t) - phase),
    )


def survived(run: SimulationRun, reference: Reference) -> bool | None:
    """Whether a run was survived to its end, and all in it that has an end.

    None when a run ended, without a fall, before one could be judged. In task space
    there is no balance to lose, and no behavior to be resumed.
    """
    if run.fell or run.scenario.control.task_space is not None:
        return not run.fell
    ends = [end + RECOVERY for end in run.scenario.disturbances.ends()]
    judged = [judge(run, reference, t) for t in ends or [float(run.t[-1])]]
    if any(j is not None and not j.survived for j in judged):
        return False
    return True if all(judged) else None
