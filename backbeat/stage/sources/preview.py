"""A preview as a source: what a draft asks for, before anything is solved."""

from importlib import metadata
from typing import Protocol

import numpy as np

from backbeat.behaviors.building.incremental_build import Draft
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.solving.solved_behavior import describe
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.scenario.requested_tempo import RequestedTempo
from backbeat.optimization.problem.dense_trajectory import unforced
from backbeat.optimization.verification.certificate import Certificate
from backbeat.stage.drawing.stage import PREVIEW
from backbeat.stage.frames.frame import StageFrame


class Pictures(Protocol):
    """What can be seen of a draft at any time."""

    def configuration(self, t: float) -> np.ndarray:
        """(nq,) configuration at a time [s]."""


class PreviewSource:
    """What a draft describes, frame by frame; see `PlaybackSource`."""

    is_simulated, engine = False, ""

    def __init__(self, draft: Draft, preview: Pictures) -> None:
        """Takes a draft and its preview."""
        assert draft.plan is not None
        self.behavior = _behavior(draft)
        self.start, self.end = 0.0, self.behavior.duration
        self.accents = np.zeros(0)
        self.tempo = RequestedTempo()
        self.remarks: tuple[tuple[float, str], ...] = ()
        self._preview, self._schedule = preview, draft.plan.problem.schedule
        q = draft.plan.problem.q_start
        self._state = Configuration(draft.plan.problem.robot, q)

    def frame_at(self, t: float) -> StageFrame:
        """What is seen at time t [s]."""
        self._state.update(self._preview.configuration(t))
        standing = tuple(self._schedule.standing(t))
        return StageFrame(time=t, state=self._state, standing=standing)


def _behavior(draft: Draft) -> Behavior:
    """A draft as a behavior that is not verified and no controller shall follow."""
    plan, specification = draft.plan, draft.specification
    assert plan is not None
    assert specification is not None
    problem = plan.problem
    q = np.tile(problem.q_start, (2, 1))
    v = np.zeros((2, problem.robot.num_velocities))
    names = problem.contact_names
    still = unforced(problem.robot, problem.times[[0, -1]], q, v, names)
    about = describe(specification, plan, draft.text) | {"kind": PREVIEW}
    return Behavior(
        name=specification.name,
        mount=plan.mount,
        scene=plan.scene,
        bpm=plan.bpm,
        meter=plan.meter,
        motion=still,
        com=np.zeros((2, 3)),
        momentum=np.zeros((2, 6)),
        inertia=np.zeros((2, 3, 3)),
        events=plan.events,
        certificate=Certificate(()),
        provenance={"backbeat": metadata.version("backbeat")},
        **about,
    )
