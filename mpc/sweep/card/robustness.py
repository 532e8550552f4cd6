"""RobustnessCard: what a behavior survives, as plain data beside it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.robots import CARDS, USUAL_ROBOT
from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.common.outside_file import is_there, read_text
from backbeat.mpc.sweep.success_rate import wilson

FORMAT = 1
Made = TypeVar("Made")


@dataclass(frozen=True)
class Survival:
    """How many runs survived something.

    Attributes:
        what: the disturbance, or the size of a push [N s].
        survived, runs: how many, of how many.
        first_fall_s: earliest time of a fall in any of them [s]; None without one.
        first_fall_beat: the beat in which that was, from 1; None without music too.
        strained: which joints were saturated or too fast in runs that survived, and in
            how many of them; "" for none.
    """

    what: str | float
    survived: int
    runs: int
    first_fall_s: float | None = None
    first_fall_beat: int | None = None
    strained: str = ""

    @property
    def share(self) -> float:
        """Of the runs, those that survived."""
        return self.survived / max(self.runs, 1)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share that survives."""
        return wilson(self.survived, self.runs)

    @property
    def words(self) -> str:
        """The share with its interval."""
        low, high = self.interval
        return f"{self.share:.0%} ({low:.0%} to {high:.0%})"

    @property
    def strain_words(self) -> str:
        """What follows where joints were strained, which is no success."""
        return f"; joints strained: {self.strained}" if self.strained else ""


@dataclass(frozen=True)
class RobustnessCard:
    """What a behavior survives.

    Attributes:
        behavior: its name.
        robot: what its robot is called.
        behavior_key: which build of it.
        commit: of the sources that simulated it, "" when they are in no repository.
        source: hash of all code and data that can change a run.
        seeds: seeds a cell, at most.
        disturbances: survival by standard disturbance.
        pushes: survival by size of a push, ascending.
        push_margin: the largest push that nine of ten survive [N s]; None when not
            even the least is.
        push_margin_is_bound: whether none larger was tried.
        is_complete: whether no run is missing.
    """

    behavior: str
    behavior_key: str
    commit: str
    source: str
    seeds: int
    disturbances: tuple[Survival, ...]
    pushes: tuple[Survival, ...]
    push_margin: float | None
    push_margin_is_bound: bool
    is_complete: bool
    robot: str = USUAL_ROBOT
    format: int = field(default=FORMAT)

    @property
    def pooled(self) -> Survival:
        """All standard disturbances together."""
        return pooled(self.disturbances)

    @property
    def headline(self) -> str:
        """The card in a few words."""
        push = "none" if self.push_margin is None else f"{self.push_margin:g} N s"
        bound = "≥ " if self.push_margin_is_bound else ""
        words = f"{self.pooled.words}, push {bound}{push}{self.pooled.strain_words}"
        return words if self.is_complete else f"{words}, unfinished"

    def is_about(self, behavior_key: str | None, source: str) -> bool:
        """Whether it is about this build of the behavior, and these sources."""
        return (self.behavior_key, self.source) == (behavior_key, source)

    def to_text(self) -> str:
        """JSON."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False)


def make_card(
    behavior: Behavior,
    disturbances: Mapping[str, Any],
    pushes: Mapping[str, Any],
    source: str,
) -> RobustnessCard:
    """A card from the summaries of its sweeps.

    Args:
        behavior: what it is about.
        disturbances, pushes: see `backbeat.mpc.sweep.summary`.
        source: hash of the sources that simulated it.
    """
    (margin,) = pushes["margins"]
    levels = sorted(pushes["cells"], key=lambda cell: float(cell["level"]))
    return RobustnessCard(
        behavior=behavior.name,
        robot=behavior.robot_model.name,
        behavior_key=str(behavior.provenance.get("key")),
        commit=disturbances["commit"],
        source=source,
        seeds=len(disturbances["seeds"]),
        disturbances=survivals(behavior, disturbances),
        pushes=tuple(_survival(cell["level"], cell, behavior) for cell in levels),
        push_margin=margin["margin"],
        push_margin_is_bound=margin["at_least"],
        is_complete=disturbances["is_complete"] and pushes["is_complete"],
    )


def survivals(
    behavior: Behavior, disturbances: Mapping[str, Any]
) -> tuple[Survival, ...]:
    """Survival by standard disturbance, from the summary of their sweep."""
    cells = disturbances["cells"]
    return tuple(_survival(cell["case"], cell, behavior) for cell in cells)


def pooled(disturbances: Sequence[Survival]) -> Survival:
    """All standard disturbances together."""
    falls = [
        (s.first_fall_s, s.first_fall_beat)
        for s in disturbances
        if s.first_fall_s is not None
    ]
    time, beat = min(falls, default=(None, None))
    return Survival(
        "all standard disturbances",
        sum(s.survived for s in disturbances),
        sum(s.runs for s in disturbances),
        first_fall_s=time,
        first_fall_beat=beat,
        strained="; ".join(
            f"{s.what}: {s.strained}" for s in disturbances if s.strained
        ),
    )


def _survival(
    what: str | float, cell: Mapping[str, Any], behavior: Behavior
) -> Survival:
    time = cell["first_fall_s"]
    beat = None
    if time is not None:
        beats = behavior.beat_times(behavior.duration)
        if len(beats):
            beat = max(1, int(np.searchsorted(beats, time, side="right")))
    strained = ""
    if cell.get("strained"):
        joints = ", ".join(cell["strained_joints"])
        strained = f"{joints} (in {cell['strained']} of {cell['runs']} runs)"
    return Survival(what, cell["survived"], cell["runs"], time, beat, strained)


def card_path(behavior_file: str | Path) -> Path:
    """Where the card of a behavior is, by the file of the behavior in the library."""
    path = Path(behavior_file)
    return path.parent / CARDS / f"{path.stem}.json"


def read_card(path: str | Path) -> RobustnessCard | None:
    """A stored card; None when there is none.

    Raises:
        BackbeatError: the file is no card.
    """
    path = Path(path)
    if not is_there(path):
        return None
    text = read_text(path, "card")
    try:
        tree = json.loads(text)
        if tree["format"] != FORMAT:
            raise ValueError(f"format {tree['format']} is not {FORMAT}")
        parts = {name: _survivals(tree[name]) for name in ("disturbances", "pushes")}
        return _checked(RobustnessCard(**{**tree, **parts}))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        why = gist(error)
        raise BackbeatError(
            f"{path} is not a robustness card: {why}; remove it, or make it again "
            f"with 'backbeat card {path.stem}'"
        ) from None


def _survivals(rows: Sequence[Mapping[str, Any]]) -> tuple[Survival, ...]:
    return tuple(_checked(Survival(**row)) for row in rows)


def _checked(made: Made) -> Made:
    """What was read, when its values are of the kinds that they should be.

    Raises:
        TypeError: one is not.
    """
    for name, kind in get_type_hints(type(made)).items():
        value = getattr(made, name)
        kinds = (kind,) if isinstance(kind, type) else get_args(kind)
        if isinstance(value, tuple):
            continue
        # JSON has one kind of numbers; to Python truth values are numbers too.
        found = float if type(value) is int and int not in kinds else type(value)
        if found not in kinds:
            raise TypeError(f"{name} is {value!r:.40}")
    return made
