"""Keys of specifications of every kind, and the objectives of a motion."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import yaml

from backbeat.behaviors.library.behavior import BEAT_PRIORITY, Behavior
from backbeat.behaviors.library.stored import check_name
from backbeat.behaviors.motion.finding import RuleFinding
from backbeat.behaviors.motion.objectives import MotionWeights, Objectives
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.music.notation.player import Hints
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.schema import key
from backbeat.optimization.problem.weights import TrajectoryWeights

# Factors on lengths: from a toy of a hand's height to a robot of ten Atlases.
SCALES = (0.05, 10.0)


@dataclass
class Authored:
    """The keys that every kind of file has."""

    kind: str = key("")
    """Which kind of file this is: `dance`, `drumming`, `footsteps`, `posture` or
    `setlist`."""
    name: str = key("")
    """Name in the library: small letters, digits and `-`."""
    summary: str = key("")
    """One sentence that describes it."""
    robot: str = key("atlas")
    """A robot that ships, or the path of a [robot of your own](robots.md)."""
    equipment: list[str] = key(list)
    """What the robot carries: `sticks`, or nothing."""
    beat_priority: float = key(BEAT_PRIORITY, ge=0, le=1)
    """Priority of the beat over balance when the motion is tracked: 0 puts balance
    first, 1 holds the beat at any cost."""

    def text(self) -> str:
        """The file as YAML, which `backbeat build` takes."""
        tree = {"kind": self.kind, "name": self.name, **_unusual(self)}
        return yaml.safe_dump(tree, sort_keys=False, default_flow_style=None)

    def save(self, folder: str | Path = Path()) -> Path:
        """Writes the file into a folder, under its name; returns where.

        Raises:
            BackbeatError: the name is not one of a behavior.
        """
        folder = Path(folder)
        path = folder / f"{check_name(self.name)}.yaml"
        with replacing(path) as file:
            file.write(self.text().encode())
        return path


def _unusual(described: Any) -> dict[str, Any]:
    """The values of a dataclass that are not as usual, as plain data."""
    usual = type(described)()
    return {
        name: _plain(value)
        for name in (item.name for item in fields(described))
        if (value := getattr(described, name)) != getattr(usual, name)
    }


def on_a_line(value: Any) -> str:
    """The value of a key as YAML has it on one line."""
    text = yaml.safe_dump(
        _plain(value), default_flow_style=True, width=math.inf, sort_keys=False
    )
    return text.splitlines()[0]


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return _unusual(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


# Factor on the time between knots where a motion failed between them.
CLOSER = 0.6
# How far knees stay from straight where a motion failed with one that was nearer [rad].
BEND, MOST_BEND = 0.2, 1.0


@dataclass
class Specification(Authored, ABC):
    """A single motion."""

    objectives: Objectives = key(Objectives)
    """What the motion should be good at."""
    weights: MotionWeights = key(MotionWeights)
    """Weights on its costs that are not those of its kind and objectives: `trajectory`,
    and `own` for [terms of your own](weights.md#a-term-of-your-own)."""
    scale: float = key(1.0, ge=SCALES[0], le=SCALES[1])
    """Factor on the lengths of the file, of kinds whose motion has any: one written for
    another robot goes at the size of this one's legs."""

    # The measure of a robot by which lengths go for another one: of its "legs", or the
    # "reach" of its arms with sticks; "" for a motion of one robot alone.
    sized_by: ClassVar[str] = ""
    # Whether where its tasks lead is a picture of the motion before any is found.
    tasks_lead: ClassVar[bool] = False
    # Whether its tempo is that of a score, which a show has to take.
    has_score: ClassVar[bool] = False
    # Whether it needs its own equipment in a show, rather than that of the show.
    needs_equipment: ClassVar[bool] = False

    def trajectory_weights(self, usual: TrajectoryWeights) -> TrajectoryWeights:
        """Weights on the costs, from those of the kind of motion."""
        return self.weights.on(self.objectives.weights(usual))

    def sources(self, folder: str | Path) -> list[Path]:
        """Files besides the specification, found from its folder."""
        return []

    @abstractmethod
    def plan(self, folder: str | Path) -> MotionPlan:
        """Compiles the specification, found in a folder, into a problem.

        Raises:
            BackbeatError: it makes no sense, and why.
        """

    def findings(self, folder: str | Path, plans: bool = True) -> list[RuleFinding]:
        """All that is wrong or odd, before anything is solved.

        Args:
            folder: where the specification was found.
            plans: lay out the problem too, which a build does anyway.

        Raises:
            BackbeatError: the first failure, of kinds that have no rules of their own.
        """
        if plans:
            self.plan(folder)
        return []

    def unread_lines(self, folder: str | Path) -> list[tuple[Path, int, str]]:
        """Lines of its files that are passed over: file, line, and why."""
        return []

    def carrying_remarks(self, folder: str | Path) -> list[str]:
        """What is done otherwise than written with what the robot carries."""
        return []

    def tempo(self, folder: str | Path) -> float:
        """Its tempo [beats/min]; 0 for none."""
        return 0.0

    def num_beats(self, folder: str | Path) -> float | None:
        """How many beats it has; None without a tempo."""
        return None

    def at_tempo(self, bpm: float) -> Self:
        """The same at another tempo [beats/min], of kinds that may have another."""
        return self

    def offer(self, path: str | Path, attempt: "Attempt") -> str:
        """The end of a sentence on what could be built where no motion was found.

        Args:
            path: the file that was to be built.
            attempt: builds and verifies another version; raises a BackbeatError where
                that fails.
        """
        return ""

    def plan_near(self, folder: str | Path, before: MotionPlan) -> MotionPlan:
        """The plan of a later version of a specification or of its files.

        Slight differences from the earlier plan that an edit elsewhere has caused may
        be left out, so that the motion stays as it was there.

        Args:
            folder: where the specification was found.
            before: the earlier plan.

        Raises:
            BackbeatError: it makes no sense, and why.
        """
        return self.plan(folder)

    def with_closer_knots(self) -> "Specification | None":
        """The same motion with knots closer together; None where they cannot be.

        Kinds that have a key `knot_spacing` have one.
        """
        return None

    def with_bent_knees(self) -> "Specification | None":
        """The same motion with knees that stay bent where feet stand; None if it is.

        Kinds that have a key `bend` have one.
        """
        return None

    def with_less_crouch(self) -> "Specification | None":
        """The same motion with jumps that go less deep; None if it has none.

        Kinds that have a key `crouch` have one.
        """
        return None

    def with_links_apart(
        self, pairs: Sequence[tuple[str, str]]
    ) -> "Specification | None":
        """The same motion with more links that stay apart; None where they cannot.

        Planners take links that are up to three joints from the trunk, or two from
        each other, for links that cannot meet. Kinds that have a key `apart` have one.

        Args:
            pairs: of links.
        """
        known: list[list[str]] | None = getattr(self, "apart", None)
        if known is None:
            return None
        changed: dict[str, Any] = {"apart": [*known, *map(list, pairs)]}
        return replace(self, **changed)

    def plan_with_hints(self, folder: str | Path, hints: Hints) -> MotionPlan:
        """Another plan of the same piece; most kinds have but one.

        Args:
            folder: where the specification was found.
            hints: those that the plan follows.
        """
        return self.plan(folder)


# Builds and verifies a specification; raises BackbeatError where that fails.
Attempt = Callable[[Any], Behavior]
