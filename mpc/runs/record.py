"""RunRecord: a run as its file has it, for analyses without simulation."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from backbeat.behaviors.library.behavior import Mount, make_robot, named_with_robot
from backbeat.behaviors.library.robots import name_of
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.plain_data import misfits
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.names import position_names
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.runs.file import load_run, run_settings, run_story
from backbeat.mpc.runs.metrics_schema import NEEDED
from backbeat.mpc.runs.table import run_frame
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.run import SimulationRun

# What files of earlier Backbeats do not have.
NEEDED_COLUMNS = ("phase", "com.x", "plan.time")
NEEDED_STORY = ("robot", "segments")


@dataclass(frozen=True)
class RunRecord:
    """Samples and story of a run, and what follows from them alone.

    Attributes:
        samples: one row a sample; `docs/how_to/runs.md` has the columns.
        story: settings, versions, results, hits; see `run_story`.
        source: where it comes from, for messages.
    """

    samples: pd.DataFrame
    story: Mapping[str, Any]
    source: str

    @property
    def name(self) -> str:
        """Name of the behavior."""
        return str(self.story["behavior"])

    @property
    def robot_name(self) -> str:
        """What its robot is called."""
        return str(self.metrics.get("robot") or name_of(self.story["robot"]["name"]))

    @property
    def title(self) -> str:
        """Its behavior and, if that is not Atlas, its robot."""
        return named_with_robot(self.name, self.robot_name)

    @property
    def metrics(self) -> Mapping[str, Any]:
        """Results, see `backbeat.mpc.analysis.metrics`."""
        found: Mapping[str, Any] = self.story["metrics"]
        return found

    @cached_property
    def scenario(self) -> Scenario:
        """Settings of the run."""
        return run_settings(self.story)

    @cached_property
    def robot(self) -> RobotModel:
        """The robot that ran.

        Raises:
            BackbeatError: its description is gone, or has other joints now.
        """
        told = self.story["robot"]
        place = told["mount"]["p_WB"]
        mount = Mount(
            None if place is None else tuple(place),
            tuple(told["mount"]["rpy_WB"]),
            dict(told["mount"]["locked"]),
        )
        robot = make_robot(told["name"], tuple(told["equipment"]), mount)
        if list(robot.joint_names) != told["joints"]:
            raise BackbeatError(
                f"{self.source}: the robot {told['name']} has other joints now than in "
                "the run; track the behavior again"
            )
        return robot

    @cached_property
    def limits(self) -> pd.DataFrame:
        """Limits by joint: `lowest`, `highest` [rad], `speed` [rad/s], `torque` [N m].

        NaN where there is none.
        """
        told = self.story["robot"]
        return pd.DataFrame(told["limits"], index=told["joints"], dtype=float)

    @cached_property
    def limbs(self) -> dict[str, list[str]]:
        """Joints by limb in the order of the robot, each joint once."""
        joints, found = list(self.story["robot"]["joints"]), {}
        # A group within another, as a wrist in an arm, is no limb of its own.
        groups = sorted(self.robot.groups.items(), key=lambda item: -len(item[1]))
        left = set(joints)
        for name, indices in groups:
            mine = [self.robot.joint_names[i] for i in indices]
            if len(mine) and left.issuperset(mine):
                found[name] = mine
                left -= set(mine)
        if left:
            found["others"] = [j for j in joints if j in left]
        return dict(sorted(found.items(), key=lambda item: joints.index(item[1][0])))

    def after_start(self) -> pd.DataFrame:
        """Samples from the beginning of the behavior on."""
        return self.samples[self.samples["t"] >= 0]

    def positions(self, samples: pd.DataFrame) -> np.ndarray:
        """(N, nq) configurations of samples."""
        return np.asarray(samples[position_names(self.robot)], float)


def read_run(path: str | Path) -> RunRecord:
    """Reads a run file.

    Raises:
        BackbeatError: it is none, or one of an earlier Backbeat that kept less.
    """
    samples, story = load_run(path)
    lacks = [n for n in NEEDED_COLUMNS if n not in samples.columns]
    lacks += [n for n in NEEDED_STORY if n not in story]
    if lacks:
        raise BackbeatError(
            f"{path} was written by an earlier Backbeat, which did not keep "
            f"{lacks[0]!r}; track {story.get('behavior', 'the behavior')} again"
        )
    if samples.empty:
        raise BackbeatError(f"{path} holds no samples; track the behavior again")
    for misfit in misfits(story["metrics"], NEEDED | {...: Any}, "metrics"):
        raise BackbeatError(
            f"{path} says too little of its results: {misfit}; track "
            f"{story['behavior']} again"
        )
    return RunRecord(samples, story, str(path))


def record_of(run: SimulationRun) -> RunRecord:
    """The record of a run that was not stored."""
    story = run_story(run, run_metrics(run))
    return RunRecord(run_frame(run), story, f"the run of {run.behavior.name}")
