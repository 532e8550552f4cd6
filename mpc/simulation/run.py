"""Running a scenario: the closed loop from start to end or to a fall."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from behaviors.behavior import Behavior, Event
from behaviors.music.meter import Pulse
from mpc.fail_safe import Safety
from mpc.force_detection import DetectorMemory
from mpc.plan import Plan
from mpc.predictive_memory import PredictiveMemory
from mpc.predictive_weights import PredictiveWeights
from mpc.remote.address import Address
from mpc.remote.contents import Record
from mpc.remote.remote_controller import RemoteMemory
from mpc.simulation.asked_tempo import asked_tempo
from mpc.simulation.fall import samples_before_runaway
from mpc.simulation.hits import HitReport, find_hits, match_hits
from mpc.simulation.joint_sample import Listener
from mpc.simulation.marker_errors import run_markers
from mpc.simulation.metrics import run_metrics
from mpc.simulation.rests import measure_rests
from mpc.simulation.run_explanation import RunExplanation, explain_run
from mpc.simulation.run_table import run_frame
from mpc.simulation.running_loop import RunningLoop
from mpc.simulation.scenario import Scenario
from mpc.simulation.simulated_world import simulated_kit
from mpc.whole_body_memory import WholeBodyMemory

# Called with the share of the run that is done.
Progress = Callable[[float], None]


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
        ticks_lost: ticks that were due and not done, see `mpc.simulation.tick_loss`.
        fell_at: time of the fall [s], None without one.
        wall_time: wall time of the run [s].
        sensed: (M, nq + nv) the states that the controllers read.
        tick_safety, plan_safety: what either controller did about programs that
            were not solved; times are on its own clock, which starts with the
            lead-in.
        link_safety: the same about answers of a remote controller; None without one.
        detection: warnings of forces that the model does not know, on the clock of
            the controllers; None where nobody watched.
        weights: of the predictive program, before the scenario adapts them.
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
    weights: PredictiveWeights = field(default_factory=PredictiveWeights)
    ticks_lost: int = 0

    @property
    def fell(self) -> bool:
        """Whether the robot fell."""
        return self.fell_at is not None

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
        tempo = asked_tempo(self.scenario)
        return tempo.beat_times(self.behavior, float(self.t[-1]))

    def pulses(self) -> list[tuple[float, Pulse]]:
        """Pulses of the bars, each when it is asked for [s]; see `Behavior.pulses`."""
        tempo = asked_tempo(self.scenario)
        return tempo.pulses(self.behavior, float(self.t[-1]))

    def asked_events(self) -> tuple[Event, ...]:
        """The behavior's events when the tempo asked for has them."""
        tempo = asked_tempo(self.scenario)
        return tuple(tempo.place(event) for event in self.behavior.events)

    def hits(self) -> HitReport | None:
        """Planned and made hits; None when the behavior has no strikes."""
        if not self.behavior.strikes():
            return None
        kit = simulated_kit(self.scenario, self.behavior)
        found = find_hits(self.strike_t, self.strikes, self.tips, self.members, kit)
        return match_hits(found, self.asked_events(), float(self.t[-1]))

    def explain(self, t: float) -> RunExplanation:
        """What both controllers wanted and got at a time of the behavior [s].

        Raises:
            BackbeatError: the run has no such time.
        """
        return explain_run(self, t)

    def rests(self) -> pd.DataFrame | None:
        """How hard resting sticks pressed; None when none rested to the end."""
        table = measure_rests(
            self.strike_t,
            self.strikes,
            self.tips,
            self.members,
            self.behavior,
            asked_tempo(self.scenario),
        )
        return None if table.empty else table

    def markers(self) -> pd.DataFrame | None:
        """How late the markers of moves were; None when there are none."""
        table = run_markers(self)
        return None if table.empty else table

    def to_frame(self) -> pd.DataFrame:
        """Its samples as a table, a row a sample; `docs/runs.md` has the columns."""
        return run_frame(self)

    def metrics(self) -> dict[str, object]:
        """Results as plain data; `mpc.simulation.metrics` says what they mean."""
        return run_metrics(self)


def run_scenario(
    scenario: Scenario,
    behavior: Behavior,
    weights: PredictiveWeights | None = None,
    progress: Progress | None = None,
    remote: Address | None = None,
    listener: Listener | None = None,
) -> SimulationRun:
    """Simulates a behavior in closed loop.

    Args:
        scenario: settings; its behavior name is not looked up again.
        behavior: what to track.
        weights: weights of the predictive program.
        progress: called some ten times a second of simulated time.
        remote: where the controllers are, in another process; None for inside.
        listener: told of states and torques on the way; None for nothing.

    Raises:
        BackbeatError: the scenario makes no sense, its planner process fails, or
            no controller is at `remote`.
    """
    # The matrices are small: threads of the BLAS would only wait for each other.
    loop = RunningLoop(behavior, scenario, weights, remote)
    with loop as running, threadpool_limits(1):
        length = scenario.lead_in + running.end
        if listener is not None:
            running.listen(listener)
        while not running.is_over:
            running.advance(scenario.plan_period)
            done = running.log.num_plans
            if progress and done % 5 == 1:
                progress(min(1.0, done * scenario.plan_period / length))
        return collect_run(running)


def collect_run(running: RunningLoop) -> SimulationRun:
    """What has happened so far in a loop, up to its last whole plan period."""
    loop, context, scenario = running.loop, running.context, running.scenario_so_far()
    logs = {name: running.log.samples(name, context) for name in loop.logs}
    plans = running.log.plans()
    t = logs["state"][0] - scenario.lead_in
    # Under way, a run is what its scenario makes again.
    end = np.inf if running.is_over else scenario.duration + 1e-9
    speeds = logs["state"][1][:, running.behavior.robot_model.num_positions :]
    n = min(int(np.searchsorted(t, end)), samples_before_runaway(speeds))
    memory, slow = (
        system.GetOutputPort("memory").Eval(system.GetMyContextFromRoot(context))
        for system in (loop.whole_body, loop.predictive)
    )
    tick_safety, plan_safety, link_safety = _safeties(memory, slow)
    detection = None
    if loop.detector is not None and scenario.watch_forces:
        own = loop.detector.GetMyContextFromRoot(context)
        detection = loop.detector.GetOutputPort("memory").Eval(own)
    samples = {name: rows[:n] for name, (_, rows) in logs.items()}
    contact = samples["contact"]
    strike_t, strikes = np.zeros(0), np.zeros((0, 0))
    if "strike" in logs:
        strike_t = logs["strike"][0] - scenario.lead_in
        strike_t = strike_t[strike_t < end]
        strikes = logs["strike"][1][: len(strike_t)]
    return SimulationRun(
        scenario=scenario,
        behavior=running.behavior,
        t=t[:n],
        x=samples["state"],
        sensed=samples["sensed"],
        effort=samples["effort"],
        contact=contact.reshape(len(contact), -1, 6),
        push=samples["push"],
        strike_t=strike_t,
        strikes=strikes,
        tips=loop.contact_log.tips,
        members=loop.contact_log.members,
        plans=plans,
        tick_ms=np.array(loop.whole_body.tick_times) * 1e3,
        plan_ms=np.array([p.solve_time for p in plans if p.iterations]) * 1e3,
        failures=tick_safety.count,
        fell_at=running.fell_at,
        wall_time=running.wall_time,
        tick_safety=tick_safety,
        plan_safety=plan_safety,
        link_safety=link_safety,
        detection=detection,
        weights=running.weights,
        ticks_lost=memory.lost,
    )


def _safeties(
    fast: WholeBodyMemory | RemoteMemory, slow: PredictiveMemory | Record
) -> tuple[Safety, Safety, Safety | None]:
    """What was done without answers: by tick, by plan, and by whoever asked them."""
    if isinstance(slow, Record):
        assert isinstance(fast, RemoteMemory)
        return slow.tick_safety, slow.plan_safety, fast.link
    assert isinstance(fast, WholeBodyMemory)
    return fast.safety, slow.safety, None
