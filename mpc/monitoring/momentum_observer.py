"""MomentumObserver: residual torques of unmodeled forces, without accelerations.

The momentum p = M v of a robot changes by known forces. The effect of all
others, the residual r, is observed with the rate K:

    r' = K (p' - dM/dt v - u + h - r),    p' - dM/dt v = M v',

integrated over steps in which M v' is the mean of M times the change of v, so that
noise of v adds up to no more than noise. Forces on soles act on the rows of base and
legs alone. Where sensors at the feet measure them, u includes them, and all rows are
observed: those of the base are the whole unmodeled force and moment.
Without, the rows of all other joints are, which need no sensor at the feet: what pushes
a hand, the head or the trunk shows there; what pushes the pelvis or a leg does not.

A step's wrenches are means over it, so that the blow of a landing foot, however short,
goes out by the momentum that it gives.

With feet that feel and an accelerometer, the base's linear acceleration less gravity is
what the accelerometer feels, and in an M v' with it h has no gravity. An estimated
attitude that is wrong by an angle then turns all forces alike, where it would otherwise
leave that share of the weight over, as on ground that is not level; and an estimated
velocity that is corrected when a foot lands is not needed. (The equations of motion do
not change with a constant velocity of the whole, which is why v may leave it out.)
Sources
    De Luca, Mattone, "Actuator failure detection and isolation using generalized
    momenta", 2003.
    De Luca, Mattone, "Sensorless robot collision detection and hybrid force/motion
    control", 2005.
    Flacco, Paolillo, Kheddar, "Residual-based contacts estimation for humanoid robots",
    2016 (free bases, with sensors at the feet).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backbeat.models.compiled.bound import bind
from backbeat.models.dynamics.frame_arrays import frame_arrays
from backbeat.models.dynamics.kinematic_tree import make_workspace
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.monitoring.momentum_terms import (
    ObservedRobot,
    ObservedSample,
    SampleBefore,
    SampleTerms,
    observe,
    write_terms,
)

# Rate at which the residual follows [1/s].
RATE = 10.0
# Specific force where there is no accelerometer.
_NONE = np.zeros(0)


@dataclass(frozen=True)
class ObserverMemory:
    """The state of the observer after a sample; its arrays are immutable.

    Attributes:
        time: of the sample [s].
        q, v: (nq,), (nv,) the state, with an accelerometer less the base's linear
            velocity.
        effort: (nj,) torques of the motors from then on [N m].
        residual: (n,) torques that nothing known explains [N m].
        terms: what the sample is made of; None where it has not been evaluated yet.
    """

    time: float
    q: np.ndarray
    v: np.ndarray
    effort: np.ndarray
    residual: np.ndarray
    terms: SampleTerms | None = None


class MomentumObserver:
    """The observer of one robot, a pure function of samples and memory.

    Attributes:
        rows: (n,) velocities that are observed: all, or those of joints of no leg.
        soles: contacts whose wrenches are sensed; () for none.
        rate: at which the residual follows [1/s].
        has_accelerometer: whether samples have a specific force.
    """

    def __init__(
        self,
        robot: RobotModel,
        soles: Sequence[str] = (),
        rate: float = RATE,
        has_accelerometer: bool = False,
    ) -> None:
        """Makes the observer.

        Args:
            robot: the robot.
            soles: its soles, if sensors feel the wrenches on them.
            rate: at which the residual follows [1/s].
            has_accelerometer: whether every sample comes with the specific force at
                the base, in place of its linear velocity; the base has to be free.
        """
        rows = np.arange(robot.num_velocities)
        if not soles:
            legs = robot.base_velocities + robot.leg_joints
            rows = np.setdiff1d(rows[robot.base_velocities :], legs)
        self.rows, self.soles, self.rate = rows, tuple(soles), rate
        self.has_accelerometer = has_accelerometer
        self._nv = robot.num_velocities
        self._silent = np.zeros((0, 6))
        frames = [robot.contacts[n].frame for n in self.soles]
        self._bound = bind(
            ObservedRobot(
                tree=robot.tree,
                ws=make_workspace(robot.tree),
                damping=robot.damping,
                gravity=0.0 if has_accelerometer else robot.gravity,
                rows=rows,
                motors=rows - robot.base_velocities,
                inertia=np.zeros((robot.num_velocities, robot.num_velocities)),
                soles=frame_arrays(frames),
            )
        )

    def start(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        effort: np.ndarray,
        residual: np.ndarray | None = None,
    ) -> ObserverMemory:
        """Memory of a first sample.

        Args:
            t: its time [s].
            q, v: (nq,), (nv,) the state.
            effort: (nj,) torques of the motors from then on [N m].
            residual: (n,) known so far; None for nothing.
        """
        if residual is None:
            residual = np.zeros(len(self.rows))
        v = self._without_linear(v)
        return ObserverMemory(t, q.copy(), v, effort.copy(), residual)

    def _without_linear(self, v: np.ndarray) -> np.ndarray:
        """(nv,) velocity that is remembered; what is felt does not go by velocity."""
        v = v.copy()
        if self.has_accelerometer:
            v[3:6] = 0.0
        return v

    def __call__(
        self,
        memory: ObserverMemory,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        effort: np.ndarray,
        wrenches: np.ndarray | None = None,
        specific_force: np.ndarray | None = None,
    ) -> ObserverMemory:
        """The memory after the next sample; arguments as of `start`.

        Args:
            memory: after the last one.
            t, q, v, effort: as of `start`.
            wrenches: (C, 6) on the soles, moment and force in their axes about their
                origins, mean since the last sample [N m, N]; None without soles.
            specific_force: (3,) acceleration of the base origin less gravity, world
                axes, mean since the last sample [m/s^2]; None without accelerometer.
        """
        sensed = self._silent if wrenches is None else wrenches
        # Dynamics are evaluated on demand: those before may still be missing.
        known = memory.terms
        if known is None:
            known, _ = self._look(memory.q, memory.v, self._silent)
        if self.has_accelerometer:
            assert specific_force is not None
        else:
            specific_force = _NONE
        terms, elapsed = self._make_terms(), t - memory.time
        residual, kept = np.empty(len(self.rows)), np.empty(self._nv)
        observe(
            self._bound,
            ObservedSample(q, v, sensed, specific_force),
            elapsed,
            # Exact for a constant cause, whatever the step.
            1.0 - math.exp(-self.rate * elapsed),
            SampleBefore(memory.v, known, memory.effort, memory.residual),
            kept,
            terms,
            residual,
        )
        seen = t, q.copy(), kept, effort.copy()
        return ObserverMemory(*seen, residual, terms)

    def _make_terms(self) -> SampleTerms:
        """Room for the terms of a sample."""
        n = len(self.rows)
        return SampleTerms(np.empty((n, self._nv)), np.empty(n))

    def _look(
        self, q: np.ndarray, v: np.ndarray, wrenches: np.ndarray
    ) -> tuple[SampleTerms, np.ndarray]:
        """The terms of a sample, and (n,) what soles feel [N m]."""
        terms, felt = self._make_terms(), np.empty(len(self.rows))
        write_terms(self._bound, q, v, wrenches, terms, felt)
        return terms, felt
