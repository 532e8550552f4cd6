"""Footsteps: which feet stand when, where the others go, and jumps between."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from backbeat.behaviors.footsteps.arm_swing import swinging_joints
from backbeat.behaviors.footsteps.footprints import Footprints
from backbeat.behaviors.footsteps.jump import (
    CROUCH,
    MOST_CROUCH,
    as_jump,
    leaves_ground,
    shallow,
)
from backbeat.behaviors.footsteps.sole_share import sole_share
from backbeat.behaviors.footsteps.step import FEET, IN_WORDS, Step
from backbeat.behaviors.footsteps.stride_reach import check_strides
from backbeat.behaviors.footsteps.swings import swing_tasks
from backbeat.behaviors.library.behavior import Event, Mount, make_robot
from backbeat.behaviors.motion.authored import (
    BEND,
    CLOSER,
    MOST_BEND,
    Specification,
)
from backbeat.behaviors.motion.plan import MotionPlan, check_length
from backbeat.behaviors.music.notation.meter import Meter, MeterMap, first_meter
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.posture.stance import (
    FARTHEST,
    start_configuration,
    support_poses,
)
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.common.errors import BackbeatError, located
from backbeat.models.common.schema import check_values, key
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.tasks import CenterOfMassTask, FrameTask, PostureTask
from backbeat.optimization.problem.trajectory_problem import (
    Limits,
    Task,
    TrajectoryProblem,
)
from backbeat.optimization.problem.weights import TrajectoryWeights

# Least time between knots [s].
FINEST = 0.005
# Share of each sole that may carry: one that yields tips over its edge long before the
# center of pressure is there.
PATCH_SHARE = 0.6
# Cost per second on the height of the center of mass [1/m^2], and of one that jumps;
# and the share of the last stance in which that stands up again.
HOLD_HEIGHT, FREE_HEIGHT, STRAIGHT = 400.0, 4.0, 0.4


@dataclass
class FootstepSpecification(Specification):
    """Schema of `kind: footsteps`."""

    sized_by: ClassVar[str] = "legs"

    kind: str = "footsteps"
    bpm: float = key(0.0, "beats/min")
    """Tempo [beats/min], for steps in beats; 0 without music."""
    beats_per_bar: int = key(4)
    """Quarter notes in a bar."""
    meter: str = key("")
    """Meter such as "7/8"; empty to use `beats_per_bar`."""
    start: str = key("stand")
    """Posture of the robot at the start."""
    steps: list[Step] = key(list)
    """Phases, in order of time."""
    arm_swing: float = key(0.0, "rad/m", ge=-FARTHEST, le=FARTHEST)
    """Arm swing: shoulder angle per meter of distance between the feet."""
    knot_spacing: float = key(0.05, "s", ge=FINEST, le=0.1)
    """Time between knots."""
    bend: float = key(0.0, "rad", ge=0, le=MOST_BEND)
    """Minimum bend of the knees of standing feet [rad]; 0 for no minimum."""
    crouch: float = key(0.0, "leg lengths", ge=0, le=MOST_CROUCH)
    """How far the trunk goes down at most in a jump [leg lengths]; 0 for no maximum."""
    roll: bool = key(False)
    """Whether feet that go forward land on their heels and leave over their toes; for
    soles with an ankle roll joint."""
    apart: list[list[str]] = key(list)
    """Pairs of links, as `[[head, chest]]`, that keep their distance although planners
    take links so near to each other for links that cannot meet."""

    def tempo(self, folder: str | Path) -> float:
        """As of `Specification`."""
        return self.bpm

    def num_beats(self, folder: str | Path) -> float | None:
        """As of `Specification`."""
        return sum(map(self.duration, self.steps)) * self.bpm / 60.0 or None

    def at_tempo(self, bpm: float) -> Self:
        """As of `Specification`, of steps on beats."""
        return replace(self, bpm=bpm) if self.bpm else self

    def with_closer_knots(self) -> "FootstepSpecification | None":
        """As of `Specification`, by the key `knot_spacing`."""
        spacing = CLOSER * self.knot_spacing
        return replace(self, knot_spacing=spacing) if spacing >= FINEST else None

    def with_bent_knees(self) -> "FootstepSpecification | None":
        """As of `Specification`, by the key `bend`."""
        return replace(self, bend=BEND) if self.bend < BEND else None

    def with_less_crouch(self) -> "FootstepSpecification | None":
        """As of `Specification`, by the key `crouch`."""
        if not leaves_ground(self.steps) or 0 < self.crouch <= CROUCH:
            return None
        return replace(self, crouch=CROUCH)

    def plan(self, folder: str | Path) -> MotionPlan:
        """Compiles the steps into a trajectory problem.

        Raises:
            BackbeatError: a step makes no sense, or ends out of reach.
        """
        self._check()
        with located("robot"):
            robot = make_robot(self.robot, tuple(self.equipment), Mount())
        with located("start"):
            walker = Walker(
                self.at_size(), robot, start_configuration(robot, self.start)
            )
        names = [f"{self.name}, step {i}," for i, _ in enumerate(self.steps, 1)]
        check_strides(robot, walker.q_start, walker.prints, names)
        return walker.plan()

    def at_size(self) -> "FootstepSpecification":
        """The same steps in lengths that need no scale any more.

        A jump without music takes the time in which a body falls as much farther.
        """
        scale, time, swing = self.scale, 1.0, self.arm_swing / self.scale
        if leaves_ground(self.steps) and not self.bpm:
            time = float(np.sqrt(scale))
        steps = [step.scaled(scale, time) for step in self.steps]
        spacing = max(FINEST, time * self.knot_spacing)
        return replace(
            self, steps=steps, arm_swing=swing, knot_spacing=spacing, scale=1.0
        )

    def first_meter(self) -> Meter:
        """The meter of its music."""
        return first_meter(self.beats_per_bar, self.meter, self.name)

    def duration(self, step: Step) -> float:
        """Length of a step [s]."""
        if step.beats > 0:
            return Tempo(self.bpm).time(step.beats)
        return step.time

    def _check(self) -> None:
        if not self.steps:
            raise BackbeatError(f"{self.name}: there are no steps", path=("steps",))
        check_values(self, self.name)
        for i, step in enumerate(self.steps, 1):
            where, place = f"{self.name}, step {i}", ("steps", i - 1)
            if (step.time > 0) == (step.beats > 0):
                raise BackbeatError(
                    f"{where}: give it a time or a number of beats", path=place
                )
            if step.between and not _holds(step.between, self.duration(step)):
                raise BackbeatError(
                    f"{where}: 'between' has a least and a most time around its time",
                    path=(*place, "between"),
                )
            if any(len(p) != 3 for p in step.via):
                raise BackbeatError(
                    f"{where}: each place in 'via' has three numbers",
                    path=place,
                )
            _check_each(step, where, place)
            each = [x for values in step.each.values() for x in values]
            places = [*step.to, *each, *np.ravel(step.via)]
            numbers = [*places, step.turn, step.clearance, step.lower]
            if not (np.abs(numbers) <= FARTHEST).all():
                raise BackbeatError(
                    f"{where}: a value is not a finite number of at most {FARTHEST:g}",
                    path=place,
                )
            moves = bool(np.any(step.to)) or step.turn != 0 or bool(step.via)
            if step.feet == "both" and moves:
                raise BackbeatError(
                    f"{where}: both feet stand, none can move", path=place
                )
        self.first_meter()
        check_length(self.name, sum(self.duration(s) for s in self.steps))
        for i in (0, -1):
            if self.steps[i].feet != "both":
                raise BackbeatError(
                    f"{self.name}: the first and the last step have both feet standing",
                    path=("steps", i % len(self.steps)),
                )


class Walker:
    """Compiles one specification, from any configuration that stands."""

    def __init__(
        self,
        specification: FootstepSpecification,
        robot: RobotModel,
        q_start: np.ndarray,
        heading: float = 0.0,
    ) -> None:
        """Lays out the steps.

        Args:
            specification: the steps; its robot and start count no more.
            robot: model of the robot.
            q_start: (nq,) where it starts.
            heading: where it faces there, left of x [rad].
        """
        self.specification, self.robot, self.q_start = specification, robot, q_start
        self.prints = Footprints(
            specification.steps,
            [specification.duration(s) for s in specification.steps],
            specification.knot_spacing,
            robot.feet,
            support_poses(robot, q_start),
            heading,
        )
        self._can_roll = not any(robot.contacts[n].rolls for n in robot.soles)
        if specification.roll and self._can_roll:
            self.prints.roll(robot.leg_length, robot.gravity)

    def plan(self) -> MotionPlan:
        """The trajectory problem of the steps."""
        specification, steps = self.specification, self.specification.steps
        switches = np.r_[0.0, np.cumsum(self.prints.lengths)]
        problem = TrajectoryProblem(
            robot=self.robot,
            times=self.prints.times,
            schedule=self.prints.schedule(),
            q_start=self.q_start,
            posture=self.q_start,
            tasks=list(self._tasks()),
            collisions=make_self_collision_model(self.robot, apart=specification.apart),
            limits=self._limits(),
            weights=specification.trajectory_weights(TrajectoryWeights()),
        )
        events = tuple(
            Event(
                switches[i],
                "segment",
                IN_WORDS[step.feet],
                duration=self.prints.lengths[i],
            )
            for i, step in enumerate(steps)
        )
        return MotionPlan(
            problem=problem,
            mount=Mount(),
            events=events,
            bpm=specification.bpm,
            meter=MeterMap(specification.first_meter()),
            free_phases=self._free_phases(),
            remarks=tuple(self._left_out()),
        )

    def _free_phases(self) -> dict[int, tuple[float, float]]:
        """Phases that may choose their time, by index; see `MotionPlan`.

        Raises:
            BackbeatError: feet roll in one of them.
        """
        found, phase = {}, 0
        for i, step in enumerate(self.specification.steps):
            count = len(self.prints.parts(i))
            if step.between and count > 1:
                raise BackbeatError(
                    f"{self.specification.name}, step {i + 1}: feet roll over heel and "
                    "toe in it (roll: true), so that its time cannot be chosen; leave "
                    "'between' out",
                    path=("steps", i, "between"),
                )
            if step.between:
                found[phase] = step.between[0], step.between[1]
            phase += count
        return found

    def _left_out(self) -> Iterator[str]:
        if self.specification.roll and not self._can_roll:
            yield (
                f"{self.robot.name} has no joint for ankle roll, and its feet stay "
                "flat (roll: false)"
            )
        elif self.specification.roll and not self.prints.rolls:
            yield "no foot goes far enough forward to roll over heel and toe"
        if self.specification.arm_swing and not swinging_joints(self.robot):
            yield (
                f"{self.robot.name} has no joint for left and right shoulder pitch, "
                "and its arms do not swing"
            )

    @property
    def _jumps(self) -> bool:
        return leaves_ground(self.specification.steps)

    def _limits(self) -> Limits:
        """What the motion may use of the robot."""
        bend, share = self.specification.bend, sole_share(self.robot, PATCH_SHARE)
        limits = Limits(bend=bend, friction_share=0.8, patch_share=share)
        return as_jump(limits) if self._jumps else limits

    def _tasks(self) -> Iterator[Task]:
        """Feet through the air, body between the feet, trunk upright, arms."""
        yield from swing_tasks(self.robot, self.prints)
        middle, yaw, apart = self.prints.body()
        knots = np.arange(len(self.prints.times))
        weight = np.tile([20.0, 20.0, HOLD_HEIGHT], (len(knots), 1))
        if self._jumps:
            # A jump needs its height free, until it has landed and straightens up.
            upright = self.prints.starts[-1] - int(STRAIGHT * self.prints.counts[-1])
            weight[:upright, 2] = FREE_HEIGHT
        com = Configuration(self.robot, self.q_start).center_of_mass
        yield CenterOfMassTask(knots, middle + [0.0, 0.0, com[2]], weight)
        level = [RigidTransform(RotationMatrix(RollPitchYaw(0, 0, a))) for a in yaw]
        yield FrameTask(self.robot.trunk.name, knots, level, "rx ry rz", weight=20.0)
        if self._jumps and self.specification.crouch:
            yield shallow(self.robot, self.q_start, knots, self.specification.crouch)
        arms = swinging_joints(self.robot)
        if self.specification.arm_swing and arms:
            joints, signs = arms
            swing = self.specification.arm_swing * apart[:, None] * signs
            rest = self.q_start[self.robot.base_positions + joints]
            yield PostureTask(joints, knots, rest + swing, 40.0)


def _holds(between: list[float], time: float) -> bool:
    return len(between) == 2 and 0 < between[0] <= time <= between[1]


def _check_each(step: Step, where: str, place: tuple[str | int, ...]) -> None:
    """Refuses displacements of single feet that make no sense."""
    for foot, values in step.each.items():
        if step.feet != "none" or foot not in FEET or len(values) != 3:
            raise BackbeatError(
                f"{where}: 'each' has three numbers for left and right, of a step in "
                "which none stands",
                path=(*place, "each"),
            )
