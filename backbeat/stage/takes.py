"""The two kinds of take: the plan as it was made, and a run as it was measured."""

import numpy as np

from backbeat.stage.balance import capture_point
from backbeat.stage.moment import ContactForce, Moment
from backbeat.stage.plan_view import (
    BEADS,
    LEAST_FORCE,
    PREDICTION,
    columns,
    force_of,
    planned_forces,
    predicted_path,
    rate_in_words,
    solver_in_words,
)
from backbeat.stage.pushes import pushes_at
from backbeat.stage.strikes import (
    FORCE_SHOWN,
    accents,
    flashes,
    greatest_tip_forces,
    measured_strikes,
    planned_strikes,
)
from behaviors.behavior import Behavior
from models.configuration import Configuration
from models.kit.drum_kit import DrumKit
from models.robot import RobotModel
from mpc.fail_safe import Mode
from mpc.plan import Plan
from mpc.reference import patch_names
from mpc.simulation.run import SimulationRun

# A hit lasts this long; its greatest force is shown from its beginning [s].
CONTACT = 0.006


class PlannedTake:
    """A behavior as the optimizer made it; see `Take`."""

    is_simulated = False

    def __init__(self, behavior: Behavior) -> None:
        """Takes a behavior from its start to its end."""
        self.behavior = behavior
        self.start, self.end = 0.0, behavior.duration
        self._strikes = planned_strikes(behavior)
        self.accents = accents(self._strikes)
        self.remarks: tuple[tuple[float, str], ...] = ()
        self._state = Configuration(behavior.robot_model, behavior.motion.q[0])

    def moment(self, t: float) -> Moment:
        """What is seen at time t [s]."""
        behavior, motion = self.behavior, self.behavior.motion
        i, u = locate(motion.t, t)
        self._state.update(planned_configuration(behavior, t))
        forces, standing = {}, []
        for c, name in enumerate(motion.contacts):
            if not motion.standing[i, c]:
                continue
            standing.append(name)
            last = i + 1 if motion.standing[i + 1, c] else i
            w = (1 - u) * motion.wrench[i, c] + u * motion.wrench[last, c]
            if np.linalg.norm(w[3:]) > LEAST_FORCE:
                forces[name] = force_of(w, motion.R_WC[i, c], motion.p_WC[i, c])
        ahead = t + PREDICTION * np.arange(1, BEADS + 1) / BEADS
        return Moment(
            time=t,
            state=self._state,
            forces=forces,
            standing=tuple(standing),
            prediction=columns(ahead, motion.t, behavior.com),
            flashes=flashes(self._strikes, t),
            capture_point=self._capture_point(i, u) if standing else None,
        )

    def _capture_point(self, i: int, u: float) -> np.ndarray | None:
        robot, momentum = self._state.robot, self.behavior.momentum
        if not robot.floating:
            return None
        linear = (1 - u) * momentum[i, 3:] + u * momentum[i + 1, 3:]
        com = self._state.center_of_mass
        return capture_point(com, linear / robot.total_mass, robot.gravity)


class SimulatedTake:
    """A closed-loop run as it was measured; see `Take`."""

    is_simulated = True

    def __init__(self, run: SimulationRun) -> None:
        """Takes a run from the start of the behavior's lead-in to its end."""
        self.run, self.behavior = run, run.behavior
        # After a fall numbers may grow beyond all bounds: nothing to see there.
        good = np.isfinite(run.x).all(1) & np.isfinite(run.contact).all((1, 2))
        count = len(good) if good.all() else max(int(np.argmin(good)), 2)
        self._t, self._x = run.t[:count], run.x[:count]
        self._contact = run.contact[:count]
        self.start, self.end = float(self._t[0]), float(self._t[-1])
        self._kit = DrumKit(self.behavior.scene.place)
        self._strikes = measured_strikes(run)
        self.accents = accents(self._strikes)
        self.remarks = _remarks(run)
        robot = self.behavior.robot_model
        self._patches = [n for n, c in robot.contacts.items() if not c.is_point]
        self._planned = patch_names(self.behavior)
        self._state = Configuration(robot, run.x[0, : robot.num_positions])
        self._lead_in = run.scenario.lead_in
        self._plan_times = np.array([plan.time for plan in run.plans]) - self._lead_in

    def moment(self, t: float) -> Moment:
        """What is seen at time t [s]."""
        robot = self.behavior.robot_model
        i, u = locate(self._t, t)
        q, v = np.split(self._x, [robot.num_positions], axis=1)
        velocity = (1 - u) * v[i] + u * v[i + 1]
        self._state.update(mixed_configuration(robot, q[i], q[i + 1], u), velocity)
        wrenches = (1 - u) * self._contact[i] + u * self._contact[i + 1]
        forces = measured_forces(self._state, self._patches, wrenches)
        forces |= self._tip_forces(t)
        plan, clock = self._plan(t), t + self._lead_in
        phase = t if plan is None else plan.phase_at(clock)
        wanted = {}
        if plan is not None:
            wanted = planned_forces(plan, clock, self._state, self._planned)
        return Moment(
            time=t,
            state=self._state,
            ghost=planned_configuration(self.behavior, phase),
            forces=forces,
            planned_forces=wanted,
            pushes=pushes_at(self.run.scenario.pushes, t, self._state),
            standing=tuple(forces),
            prediction=predicted_path(plan),
            flashes=flashes(self._strikes, t),
            capture_point=measured_capture_point(self._state) if forces else None,
            rate=1.0 if plan is None else plan.rate,
            solver="" if plan is None else solver_in_words(plan, self._mode(t)),
        )

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

    def _tip_forces(self, t: float) -> dict[str, ContactForce]:
        run = self.run
        around = [t - FORCE_SHOWN, t + CONTACT]
        rows = run.strikes[slice(*np.searchsorted(run.strike_t, around))]
        greatest = greatest_tip_forces(rows, run.tips, run.members, self._kit)
        return {
            tip: ContactForce(self._state.pose(tip).translation(), force)
            for tip, force in greatest.items()
        }

    def _plan(self, t: float) -> Plan | None:
        k = int(np.searchsorted(self._plan_times, t, side="right")) - 1
        return self.run.plans[max(k, 0)] if self.run.plans else None


def measured_capture_point(state: Configuration) -> np.ndarray | None:
    """Capture point of a robot as it moves; None on a welded base."""
    robot = state.robot
    if not robot.floating:
        return None
    velocity = state.momentum[3:] / robot.total_mass
    return capture_point(state.center_of_mass, velocity, robot.gravity)


def locate(times: np.ndarray, t: float) -> tuple[int, float]:
    """Index i and share u with t between times i and i + 1; the ends hold."""
    i = int(np.searchsorted(times, t, side="right")) - 1
    i = min(max(i, 0), len(times) - 2)
    length = times[i + 1] - times[i]
    u = (t - times[i]) / length if length > 0 else 1.0
    return i, float(np.clip(u, 0.0, 1.0))


def mixed_configuration(
    robot: RobotModel, a: np.ndarray, b: np.ndarray, u: float
) -> np.ndarray:
    """Configuration between two that are milliseconds apart."""
    if robot.floating and a[:4] @ b[:4] < 0:
        b = np.r_[-b[:4], b[4:]]
    q = (1 - u) * a + u * b
    if robot.floating:
        q[:4] /= np.linalg.norm(q[:4])
    return q


def planned_configuration(behavior: Behavior, phase: float) -> np.ndarray:
    """(nq,) the behavior's configuration at a phase [s]; at rest outside of it."""
    motion = behavior.motion
    i, u = locate(motion.t, phase)
    return mixed_configuration(behavior.robot_model, motion.q[i], motion.q[i + 1], u)


def measured_forces(
    state: Configuration, patches: list[str], wrenches: np.ndarray
) -> dict[str, ContactForce]:
    """Forces on patches from wrenches about the world's origin, at pressure centers."""
    forces = {}
    for name, wrench in zip(patches, wrenches, strict=False):
        moment, force = wrench[:3], wrench[3:]
        if force[2] < LEAST_FORCE:
            continue
        z = state.pose(name).translation()[2]
        x = (z * force[0] - moment[1]) / force[2]
        y = (z * force[1] + moment[0]) / force[2]
        forces[name] = ContactForce(np.array([x, y, z]), force)
    return forces


def _remarks(run: SimulationRun) -> tuple[tuple[float, str], ...]:
    """What the caption has to say about a run, and from when."""
    start, remarks = run.scenario.lead_in, []
    for change in run.tick_safety.changes:
        is_back = change.mode is Mode.TRACKING
        text = "" if is_back else f"whole-body controller: {change.mode}"
        remarks.append((change.time - start, text))
    if run.fell_at is not None:
        remarks.append((run.fell_at, "the robot has fallen"))
    return tuple(remarks)
