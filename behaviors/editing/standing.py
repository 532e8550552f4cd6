"""Standing: what there is to see before there is a motion that can be shown."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from backbeat.behaviors.building.incremental_build import Draft
from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.drumming.robot_at_kit import RobotAtKit
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.editing.edits import read_dance
from backbeat.behaviors.library.behavior import Mount, beat_events, make_robot
from backbeat.behaviors.library.robots import robot_beside
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.behaviors.specification.kinds import read_setlist
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.description import kit_text
from backbeat.optimization.problem.contact_schedule import constant_stance
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem


class Standing:
    """A robot that stays as it is, as a preview."""

    def __init__(self, draft: Draft) -> None:
        """Takes a draft of `standing_dancer`."""
        assert draft.plan is not None
        self._q = draft.plan.problem.q_start

    def configuration(self, t: float) -> np.ndarray:
        """(nq,) the same configuration at any time [s]."""
        return self._q


def standing_dancer(text: str, path: str | Path) -> Draft:
    """A dance whose robot stands at its start for as long as the dance takes.

    Args:
        text: the dance; of one that cannot be read the usual robot stands.
        path: where it is, or will be.
    """
    return _standing(text, lambda: read_dance(text, Path(path).name), path)


def standing_show(text: str, path: str | Path) -> Draft:
    """A setlist whose robot stands with what it carries; arguments as above."""

    def dance() -> DanceSpecification:
        setlist = read_setlist(text, Path(path).name)
        return DanceSpecification(
            name=setlist.name, robot=setlist.robot, equipment=list(setlist.equipment)
        )

    return _standing(text, dance, path)


def _standing(
    text: str, read: Callable[[], DanceSpecification], path: str | Path
) -> Draft:
    try:
        dance = read()
        dance.robot = robot_beside(dance.robot, path)
        plan = _standing_plan(dance)
    except BackbeatError:
        dance = DanceSpecification(name="standing")
        plan = _standing_plan(dance)
    return Draft(text, dance, plan)


def _standing_plan(dance: DanceSpecification) -> MotionPlan:
    """A problem in which nothing moves, as long as a dance."""
    robot = make_robot(dance.robot, tuple(dance.equipment), Mount())
    q_start = start_configuration(robot, dance.start)
    tempo = dance.tempo_map()
    end = tempo.time(dance.beats)
    problem = TrajectoryProblem(
        robot=robot,
        times=np.linspace(0.0, end, 4),
        schedule=constant_stance(end, support_poses(robot, q_start)),
        q_start=q_start,
        posture=q_start,
    )
    events = tuple(beat_events(tempo.marked_beats(dance.beats)))
    return MotionPlan(problem, Mount(), events, bpm=dance.bpm, meter=tempo.meter)


def standing_drummer(drumming: DrummingSpecification, path: str | Path) -> Draft:
    """Drumming whose robot waits at the drums.

    Args:
        drumming: the specification.
        path: its file.

    Raises:
        BackbeatError: there is no such robot or kit.
    """
    path = Path(path)
    at_kit = RobotAtKit(
        drumming.robot,
        drumming.equipment,
        drumming.seat == "chair",
        kit_text(drumming.kit, path.parent),
        scale=drumming.scale,
    )
    problem = TrajectoryProblem(
        robot=at_kit.robot,
        times=np.linspace(0.0, 1.0, 4),
        schedule=constant_stance(1.0, at_kit.supports),
        q_start=at_kit.posture,
        posture=at_kit.posture,
    )
    plan = MotionPlan(problem, at_kit.mount, scene=at_kit.scene)
    return Draft("", drumming, plan)
