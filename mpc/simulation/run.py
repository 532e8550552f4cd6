"""SimulationRun: what happened in a run, as a plain value that analyses take."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backbeat.behaviors.library.behavior import Behavior, Event
from backbeat.behaviors.music.notation.meter import Pulse
from backbeat.mpc.monitoring.force_detection import DetectorMemory
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.safety.fail_safe import Safety
from backbeat.mpc.scenario.requested_tempo import requested_tempo
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.weights.controller_weights import ControllerWeights


@dataclass(frozen=True)
class SimulationRun:
    """What happened in a run; times are those of the behavior.

    Attributes:
        scenario: its settings.
        behavior: what was tracked.
        t: (M,) sample times [s]; the lead-in is negative.
        x: (M, nq + nv) states of the robot model.
        effort: (M, nj) joint torques [N m].
        contact: (M, C + 1, 6) wrench of the ground on each patch and on the rest
            of the robot, about the world origin [N m, N].
        push: (M, 3) force of pushes [N].
        strike_t: (K,) times of the strike log [s]; empty without sticks.
        strikes: (K, ...) rows of `ContactLog.strikes`.
        tips, members: names in the order of those rows.
        plans: plans in order, as they were made; `plan_channel.arrivals` says
            when they took effect.
        tick_ms, plan_ms: wall times of ticks and plans [ms].
        failures: unsolved whole-body ticks.
        ticks_lost: ticks that were due and not done, see
            `backbeat.mpc.scenario.tick_loss`.
        fell_at: time of the fall [s], None without one.
        wall_time: wall time of the run [s].
        sensed: (M, nq + nv) the states that are sensed; empty where they are true.
        tick_safety, plan_safety: what either controller did about programs that
            were not solved; times are on its own clock, which starts with the
            lead-in.
        link_safety: the same about answers of a remote controller; None without one.
        detection: warnings of forces that are not in the model, on the clock of
            the controllers; None without detection.
        weights: of the controllers, before settings of plans adapt them.
        target: (M, 3) where the hand should have been in task space [m]; (0, 3)
            elsewhere.
        leg_effort: (M, L) torques of legs with welded feet, which are no joints of the
            robot model, by `legs` [N m].
        legs: names of these joints.
        controller: what of a user's own took the place of which controller, see
            `OwnControllers.story`; None for ours.
    """

    scenario: Scenario
    behavior: Behavior
    t: np.ndarray
    x: np.ndarray
    effort: np.ndarray
    contact: np.ndarray
    push: np.ndarray
    strike_t: np.ndarray
    strikes: np.ndarray
    tips: tuple[str, ...]
    members: tuple[str, ...]
    plans: tuple[Plan, ...]
    tick_ms: np.ndarray
    plan_ms: np.ndarray
    failures: int
    fell_at: float | None
    wall_time: float
    sensed: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    tick_safety: Safety = field(default_factory=Safety)
    plan_safety: Safety = field(default_factory=Safety)
    link_safety: Safety | None = None
    detection: DetectorMemory | None = None
    weights: ControllerWeights = field(default_factory=ControllerWeights)
    ticks_lost: int = 0
    target: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    leg_effort: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    legs: tuple[str, ...] = ()
    controller: Mapping[str, Any] | None = None

    @property
    def fell(self) -> bool:
        """Whether the robot fell."""
        return self.fell_at is not None

    @property
    def read(self) -> np.ndarray:
        """(M, nq + nv) what the controllers read: sensed states, or the true ones."""
        return self.sensed if len(self.sensed) else self.x

    def samples_until(self, end: float = np.inf) -> np.ndarray:
        """(M,) whether samples are of the behavior, up to a time of it [s].

        Of a robot that fell before it began it is the last one. Numbers that a fall
        has driven out of all bounds are left out.
        """
        finite = np.isfinite(self.x).all(axis=1)
        inside = finite & (self.t >= 0) & (self.t <= end)
        if not inside.any():
            inside[np.flatnonzero(finite)[-1]] = True
        return inside

    def beat_times(self) -> np.ndarray:
        """(B,) when the beats are, at the tempo that was asked for [s]."""
        tempo = requested_tempo(self.scenario.disturbances)
        return tempo.beat_times(self.behavior, float(self.t[-1]))

    def pulses(self) -> list[tuple[float, Pulse]]:
        """Pulses of the bars, each when it is asked for [s]; see `Behavior.pulses`."""
        tempo = requested_tempo(self.scenario.disturbances)
        return tempo.pulses(self.behavior, float(self.t[-1]))

    def requested_events(self) -> tuple[Event, ...]:
        """The behavior's events when the tempo asked for has them."""
        tempo = requested_tempo(self.scenario.disturbances)
        return tuple(tempo.place(event) for event in self.behavior.events)
