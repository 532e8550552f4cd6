"""What figures are drawn from: the robot, the kit, a score, its player and a plan."""

from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from backbeat.behaviors.drumming.drummer import stick_tip
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.kinematic.behavior import read_score
from backbeat.behaviors.kinematic.player import (
    KinematicPlayer,
    KinematicSettings,
)
from backbeat.behaviors.kinematic.trajectory import KinematicTrajectory
from backbeat.behaviors.library.behavior import Behavior, make_robot
from backbeat.behaviors.library.behavior import Mount as FreeBase
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.music.notation.score import HANDS, Score
from backbeat.behaviors.specification.kinds import (
    find_specification,
    read_specification,
)
from backbeat.models.actuation.safety_law import SafetyLaw, read_safety_law
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.robot.description import find_description, load_description
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.sweep.table import SweepTable

ROBOT, EQUIPMENT = "atlas", ("sticks",)
EXAMPLE = Path(__file__).parent / "example_joint.urdf"
EXAMPLE_JOINT = "elbow"


class Sources:
    """Everything is made when it is first asked for, and then kept."""

    def __init__(
        self,
        library: str | Path = Path("library"),
        behavior: str = "outstanding",
        sweeps: str | Path = Path("out/sweeps"),
        runs: str | Path = Path("out"),
        robot_of_plan: str = "",
    ) -> None:
        """Names what figures are drawn from.

        Args:
            library: folder of behaviors.
            behavior: the one whose plan is drawn.
            sweeps: folder of tables of sweeps.
            runs: folder of run files.
            robot_of_plan: which is drawn, and whose plan; "" for the usual one, see
                `Library`.
        """
        self.library, self.behavior = Path(library), behavior
        self.sweeps, self.runs = Path(sweeps), Path(runs)
        self.robot_of_plan = robot_of_plan

    def sweep(self, name: str) -> pd.DataFrame:
        """The rows of a sweep that has run.

        Raises:
            BackbeatError: it has not, or its table cannot be read.
        """
        path = self.sweeps / f"{name}.parquet"
        rows = SweepTable(path).frame()
        if rows.empty:
            raise BackbeatError(
                f"there are no runs of the sweep {name} in {self.sweeps}; `backbeat "
                f"sweep {name}` makes them"
            )
        return rows

    @cached_property
    def robot(self) -> RobotModel:
        """The drummer, Atlas with sticks unless another one is named; its base free."""
        name = self.robot_of_plan or ROBOT
        known = load_description(find_description(name)).equipment
        carried = tuple(item for item in EQUIPMENT if item in known)
        return make_robot(name, carried, FreeBase())

    @cached_property
    def kit(self) -> DrumKit:
        """The kit of the behavior at the drummer's place.

        Raises:
            BackbeatError: as `score`.
        """
        return self._read[2]

    @cached_property
    def score(self) -> Score:
        """The score of the behavior.

        Raises:
            BackbeatError: there is none that ships, in the current folder, nor of what
                the library has.
        """
        return self._read[0]

    @cached_property
    def _read(self) -> tuple[Score, DrummingSpecification, DrumKit]:
        """The score with its kit."""
        library = Library(self.library)
        return read_score(self.behavior, library, self.robot_of_plan)

    @cached_property
    def player(self) -> KinematicPlayer:
        """The kinematic player of the score, with the segments of both tips."""
        return KinematicPlayer(self.score, self.kit, KinematicSettings())

    @cached_property
    def played(self) -> KinematicTrajectory:
        """What the kinematic player does, some seconds of work."""
        return self.player.play()

    @cached_property
    def plan(self) -> Behavior:
        """The behavior as optimized and verified.

        Raises:
            BackbeatError: the library does not have it.
        """
        name = self.behavior
        if Path(name).suffix:
            name = read_specification(find_specification(name))[0].name
        plan = Library(self.library).load(name, self.robot_of_plan)
        if not plan.strikes():
            raise BackbeatError(
                f"{self.behavior} has no strikes; figures need a drumming behavior"
            )
        return plan

    @cached_property
    def plan_tips(self) -> np.ndarray:
        """(M, 2, 3) places of the left and the right tip along the plan [m]."""
        return tip_paths(self.plan.robot_model, self.plan.motion.q)

    @cached_property
    def safety_law(self) -> SafetyLaw:
        """The law of the example joint."""
        return read_safety_law(EXAMPLE, EXAMPLE_JOINT)


def tip_paths(robot: RobotModel, q: np.ndarray) -> np.ndarray:
    """(M, 2, 3) places of the left and the right tip at (M, nq) configurations [m]."""
    state, places = Configuration(robot, q[0]), np.zeros((len(q), len(HANDS), 3))
    for k, now in enumerate(q):
        state.update(now)
        for i, hand in enumerate(HANDS):
            places[k, i] = state.pose(stick_tip(hand)).translation()
    return places
