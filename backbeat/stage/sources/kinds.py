"""The two kinds of source: the plan as it was made, and a run as it was measured."""

from collections.abc import Iterator, Sequence

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.control.task_space_setup import hand_place
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.horizon.prediction import (
    AHEAD,
    INSTANTS,
    LEAST_FORCE,
    POINTS,
    Foothold,
    Prediction,
    acting,
    interpolated,
    predict,
)
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.reference.trajectory import Reference, patch_names
from backbeat.mpc.safety.fail_safe import Mode
from backbeat.mpc.scenario.requested_tempo import RequestedTempo, requested_tempo
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.walking.writer import reference_on
from backbeat.stage.frames.balance import capture_point
from backbeat.stage.frames.frame import ContactForce, StageFrame
from backbeat.stage.frames.marks import marks_at
from backbeat.stage.frames.plan_view import (
    planned_forces,
    rate_in_words,
    solver_in_words,
)
from backbeat.stage.frames.strikes import (
    FORCE_SHOWN,
    accents,
    flashes,
    greatest_tip_forces,
    measured_strikes,
    planned_strikes,
)
from backbeat.stage.sources.measured_motion import (
    MeasuredMotion,
    locate,
    measured_capture_point,
    mixed_configuration,
)

# A hit lasts this long; its greatest force is shown from its beginning [s].
CONTACT = 0.006


class PlannedSource:
    """A behavior as the optimizer made it; see `PlaybackSource`."""

    is_simulated, engine = False, ""

    def __init__(self, behavior: Behavior) -> None:
        """Takes a behavior from its start to its end."""
        self.behavior = behavior
        self.start, self.end, self.tempo = 0.0, behavior.duration, RequestedTempo()
        self._strikes = planned_strikes(behavior)
        self.accents = accents(self._strikes)
        self.remarks: tuple[tuple[float, str], ...] = ()
        self._state = Configuration(behavior.robot_model, behavior.motion.q[0])
        self._patches = patch_names(behavior)
        self._landings = _landings(behavior, self._patches)

    def frame_at(self, t: float) -> StageFrame:
        """What is seen at time t [s]."""
        motion = self.behavior.motion
        i, u = locate(motion.t, t)
        self._state.update(planned_configuration(self.behavior, t))
        forces = {name: ContactForce(f[:3], f[3:]) for name, f in self._forces(t)}
        standing = [
            n for n, on in zip(motion.contacts, motion.standing[i], strict=True) if on
        ]
        return StageFrame(
            time=t,
            state=self._state,
            forces=forces,
            standing=tuple(standing),
            prediction=self._prediction(t),
            flashes=flashes(self._strikes, t),
            capture_point=self._capture_point(i, u) if standing else None,
        )

    def _forces(self, t: float) -> Iterator[tuple[str, np.ndarray]]:
        """Contacts that bear something at time t, with point and force (6,)."""
        motion = self.behavior.motion
        i, u = locate(motion.t, t)
        for c, name in enumerate(motion.contacts):
            if not motion.standing[i, c]:
                continue
            last = i + 1 if motion.standing[i + 1, c] else i
            w = (1 - u) * motion.wrench[i, c] + u * motion.wrench[last, c]
            if np.linalg.norm(w[3:]) > LEAST_FORCE:
                yield name, acting(w, motion.R_WC[i, c], motion.p_WC[i, c])

    def _prediction(self, t: float) -> Prediction:
        """What comes next in the plan itself."""
        behavior, patches = self.behavior, self._patches
        ahead = t + AHEAD * np.arange(1, POINTS + 1) / POINTS
        forces = np.full((len(INSTANTS), len(patches), 6), np.nan)
        for k, after in enumerate(INSTANTS):
            for name, force in self._forces(t + after):
                if name in patches:
                    forces[k, patches.index(name)] = force
        return Prediction(
            interpolated(ahead, behavior.motion.t, behavior.com),
            patches,
            forces,
            tuple(
                foothold._replace(after=foothold.after - t)
                for foothold in self._landings
                if t < foothold.after <= t + AHEAD
            ),
        )

    def _capture_point(self, i: int, u: float) -> np.ndarray | None:
        robot, momentum = self._state.robot, self.behavior.momentum
        if not robot.floating:
            return None
        linear = (1 - u) * momentum[i, 3:] + u * momentum[i + 1, 3:]
        com = self._state.center_of_mass
        return capture_point(com, linear / robot.total_mass, robot.gravity)


class SimulatedSource:
    """A closed-loop run as it was measured; see `PlaybackSource`."""

    is_simulated = True

    def __init__(self, run: SimulationRun) -> None:
        """Takes a run from the start of the behavior's lead-in to its end."""
        self.run, self.behavior = run, run.behavior
        self.engine = run.scenario.world.engine
        self.tempo = requested_tempo(run.scenario.disturbances)
        robot = self.behavior.robot_model
        q, v = np.split(run.x, [robot.num_positions], axis=1)
        self._motion = MeasuredMotion(robot, run.t, q, v, run.contact)
        self.start, self.end = self._motion.start, self._motion.end
        self._kit = self.behavior.scene.drum_kit()
        self._strikes = measured_strikes(run)
        self.accents = accents(self._strikes)
        self.remarks = _remarks(run)
        self._reference = Reference(self.behavior)
        self._lead_in = run.scenario.timing.lead_in
        self._plan_times = np.array([plan.time for plan in run.plans]) - self._lead_in

    def frame_at(self, t: float) -> StageFrame:
        """What is seen at time t [s]."""
        state, forces = self._motion.at(t)
        forces |= self._tip_forces(t, state)
        plan, clock = self._plan(t), t + self._lead_in
        phase = t if plan is None else plan.phase_at(clock)
        wanted = {}
        if plan is not None:
            wanted = planned_forces(plan, clock, state, self._reference.patches)
        run = self.run
        target, hand = hand_at(self.behavior, state, run.t, run.target, t)
        return StageFrame(
            time=t,
            state=state,
            ghost=followed_configuration(self._reference, plan, phase),
            forces=forces,
            planned_forces=wanted,
            **vars(marks_at(self.disturbances, t, state)),
            standing=tuple(forces),
            prediction=predict(self._reference, plan),
            flashes=flashes(self._strikes, t),
            capture_point=measured_capture_point(state) if forces else None,
            rate=1.0 if plan is None else plan.rate_at(clock),
            solver="" if plan is None else solver_in_words(plan, self._mode(t)),
            target=target,
            hand=hand,
        )

    @property
    def disturbances(self) -> Sequence[Disturbance]:
        """Disturbances of the run."""
        return self.run.scenario.active

    def sayings(self) -> dict[str, list[tuple[float, str]]]:
        """What the caption says of plans: when it changes, and to what."""
        times = self._plan_times[self._plan_times <= self.end]
        plans = self.run.plans[: len(times)]
        said = {
            "rate words": [rate_in_words(plan.rate) for plan in plans],
            "solver": [
                solver_in_words(plan, self._mode(t))
                for plan, t in zip(plans, times, strict=True)
            ],
        }
        return {
            what: [
                (round(float(t), 3), text)
                for k, (t, text) in enumerate(zip(times, words, strict=True))
                if k == 0 or text != words[k - 1]
            ]
            for what, words in said.items()
        }

    def _mode(self, t: float) -> Mode:
        """What the whole-body controller does at a time."""
        clock, mode = t + self._lead_in, Mode.TRACKING
        for change in self.run.tick_safety.changes:
            if change.time <= clock:
                mode = change.mode
        return mode

    def _tip_forces(self, t: float, state: Configuration) -> dict[str, ContactForce]:
        run = self.run
        around = [t - FORCE_SHOWN, t + CONTACT]
        rows = run.strikes[slice(*np.searchsorted(run.strike_t, around))]
        greatest = greatest_tip_forces(rows, run.tips, run.members, self._kit)
        return {
            tip: ContactForce(state.pose(tip).translation(), force)
            for tip, force in greatest.items()
        }

    def _plan(self, t: float) -> Plan | None:
        k = int(np.searchsorted(self._plan_times, t, side="right")) - 1
        return self.run.plans[max(k, 0)] if self.run.plans else None


def hand_at(
    behavior: Behavior,
    state: Configuration,
    times: np.ndarray,
    targets: np.ndarray,
    t: float,
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Target and hand in task space as of `StageFrame`; None elsewhere.

    Args:
        behavior: what is performed.
        state: the robot at time t.
        times: (M,) of samples [s].
        targets: (M, 3) where the hand should be at them; (0, 3) elsewhere [m].
        t: the time [s].
    """
    if not len(targets):
        return None, None
    i, u = locate(times, t)
    target = (1 - u) * targets[i] + u * targets[i + 1]
    return target, hand_place(behavior, state)


def _landings(behavior: Behavior, patches: tuple[str, ...]) -> list[Foothold]:
    """Where patches land, and when [s], in order of time."""
    motion, found = behavior.motion, []
    for c, name in enumerate(motion.contacts):
        on = motion.standing[:, c]
        for i in np.flatnonzero(~on[:-1] & on[1:]) + 1 if name in patches else ():
            R_WC, p_WC = motion.R_WC[i, c], motion.p_WC[i, c]
            found.append(Foothold(name, float(motion.t[i]), R_WC, p_WC))
    return sorted(found, key=lambda foothold: foothold.after)


def planned_configuration(behavior: Behavior, phase: float) -> np.ndarray:
    """(nq,) the behavior's configuration at a phase [s]; at rest outside of it."""
    motion = behavior.motion
    i, u = locate(motion.t, phase)
    return mixed_configuration(behavior.robot_model, motion.q[i], motion.q[i + 1], u)


def followed_configuration(
    reference: Reference, plan: Plan | None, phase: float
) -> np.ndarray:
    """(nq,) configuration that a plan follows at a phase [s]: its walk's, if any."""
    if plan is None or plan.walk is None:
        return planned_configuration(reference.behavior, phase)
    return reference_on(reference, plan.walk).sample(phase).q.copy()


def _remarks(run: SimulationRun) -> tuple[tuple[float, str], ...]:
    """What the caption has to say about a run, and from when."""
    start, remarks = run.scenario.timing.lead_in, []
    for change in run.tick_safety.changes:
        is_back = change.mode is Mode.TRACKING
        text = "" if is_back else f"whole-body controller: {change.mode}"
        remarks.append((change.time - start, text))
    if run.fell_at is not None:
        remarks.append((run.fell_at, "the robot has fallen"))
    return tuple(remarks)
