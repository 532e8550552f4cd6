"""A run as its file has it, on the stage: nothing is simulated again."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.library.table import WRENCH
from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from backbeat.models.state.names import position_names, velocity_names
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.horizon.prediction import Prediction
from backbeat.mpc.reference.trajectory import patch_names
from backbeat.mpc.runs.behavior import behavior_of_run
from backbeat.mpc.runs.predictions import FiledPredictions
from backbeat.mpc.runs.record import RunRecord
from backbeat.mpc.scenario.requested_tempo import requested_tempo
from backbeat.sound.notes import Performance, performed_in_story
from backbeat.stage.frames.frame import ContactForce, StageFrame
from backbeat.stage.frames.marks import marks_at
from backbeat.stage.frames.strikes import (
    FORCE_SHOWN,
    Strike,
    accents,
    flashes,
    loudness,
)
from backbeat.stage.sources.kinds import hand_at
from backbeat.stage.sources.measured_motion import (
    MeasuredMotion,
    locate,
    measured_capture_point,
    measured_forces,
    mixed_configuration,
)

# Kinds of unplanned contacts that sound.
STRUCK = ("hit", "double")
NO_PREDICTIONS = "the run file has no predictions: backbeat track writes them"


class RunFileSource:
    """A run from its file; see `PlaybackSource`.

    Attributes:
        record: the run.
        lacks: what its file, of an earlier Backbeat, does not keep, in words, or "".
    """

    is_simulated = True

    def __init__(self, record: RunRecord, behavior: Behavior) -> None:
        """Takes a run from the start of its lead-in to its end.

        Args:
            record: the run.
            behavior: what was tracked, for its set and its music.

        Raises:
            BackbeatError: the run has no more than a frame to show.
        """
        self.record, self.behavior = record, behavior
        self.engine = record.scenario.world.engine
        self.tempo = requested_tempo(record.scenario.disturbances)
        robot, samples = behavior.robot_model, record.samples
        names = position_names(robot), velocity_names(robot)
        q, v = (samples[columns].to_numpy(float) for columns in names)
        wrench = [[f"{n}.{a}" for a in WRENCH] for n in robot.patches]
        contact = samples[[n for names in wrench for n in names]].to_numpy(float)
        self._t = samples["t"].to_numpy()
        self._motion = MeasuredMotion(
            robot, self._t, q, v, contact.reshape(len(contact), -1, len(WRENCH))
        )
        planned = samples[position_names(robot, "planned.q")]
        self._planned = planned.to_numpy(float)
        self._targets = np.zeros((0, 3))
        if "target.x" in samples:
            places = [f"target.{a}" for a in "xyz"]
            self._targets = samples[places].to_numpy(float)
        self.start, self.end = self._motion.start, self._motion.end
        self._patches = patch_names(behavior)
        wrench = [[f"planned.{n}.{a}" for a in WRENCH] for n in self._patches]
        self._wanted = np.zeros((len(self._t), 0, 6))
        if wrench:
            wanted = [samples[columns].to_numpy(float) for columns in wrench]
            self._wanted = np.stack(wanted, axis=1)
        self._predictions, self.lacks = None, NO_PREDICTIONS
        if "predictions" in record.story:
            told = record.story["predictions"]
            self._predictions = FiledPredictions(told, robot.patches)
            self.lacks = ""
        self._hits = _hits(record)
        self._strikes = [
            Strike(h["time"], h["member"], loudness(h["peak_force"]))
            for h in self._hits
        ]
        self.accents = accents(self._strikes)
        fell = record.metrics.get("fell_at_s")
        self.remarks: tuple[tuple[float, str], ...] = ()
        if fell is not None:
            self.remarks = ((float(fell), "the robot has fallen"),)
        self._kit = behavior.scene.drum_kit()

    def frame_at(self, t: float) -> StageFrame:
        """What is seen at time t [s]."""
        state, forces = self._motion.at(t)
        forces |= self._tip_forces(t, state)
        i, u = locate(self._t, t)
        robot = self.behavior.robot_model
        ghost = mixed_configuration(robot, self._planned[i], self._planned[i + 1], u)
        wanted = (1 - u) * self._wanted[i] + u * self._wanted[i + 1]
        expected = self._predictions
        target, hand = hand_at(self.behavior, state, self._t, self._targets, t)
        return StageFrame(
            time=t,
            state=state,
            ghost=ghost,
            forces=forces,
            planned_forces=measured_forces(state, self._patches, wanted),
            **vars(marks_at(self.disturbances, t, state)),
            standing=tuple(forces),
            prediction=Prediction() if expected is None else expected.at(t),
            flashes=flashes(self._strikes, t),
            capture_point=measured_capture_point(state) if forces else None,
            target=target,
            hand=hand,
        )

    @property
    def disturbances(self) -> Sequence[Disturbance]:
        """Disturbances of the run."""
        return self.record.scenario.active

    def performance(self) -> Performance:
        """What the run sounds like."""
        return performed_in_story(self.record.story, self.end, self.record.source)

    def _tip_forces(self, t: float, state: Configuration) -> dict[str, ContactForce]:
        """The greatest force of a hit, from its beginning."""
        forces: dict[str, ContactForce] = {}
        for hit in self._hits:
            is_of_robot = hit["tip"] in state.robot.contacts
            if is_of_robot and 0.0 <= t - hit["time"] < FORCE_SHOWN:
                X_WM = self._kit.strike_pose(hit["member"])
                normal = X_WM.rotation().matrix()[:, 2]
                place = state.pose(hit["tip"]).translation()
                forces[hit["tip"]] = ContactForce(place, hit["peak_force"] * normal)
        return forces


def run_file_source(record: RunRecord, library: Library) -> RunFileSource:
    """The source of a run file, with its behavior from a library.

    Raises:
        BackbeatError: the library has not the behavior that ran.
    """
    behavior = behavior_of_run(library, record.story)
    if behavior.provenance.get("key") != record.story["behavior_key"]:
        raise BackbeatError(
            f"{record.name!r} in {library.folder} is not the one of {record.source}"
        )
    return RunFileSource(record, behavior)


def _hits(record: RunRecord) -> list[dict[str, Any]]:
    """What the sticks did, planned or not, in order of time."""
    made = [
        {**h, "time": h["time"] + h["error"]} for h in record.story["hits"] if h["made"]
    ]
    extra = [h for h in record.story["extra_hits"] if h["kind"] in STRUCK]
    return sorted([*made, *extra], key=lambda hit: hit["time"])
