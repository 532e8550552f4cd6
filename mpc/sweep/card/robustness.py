"""RobustnessCard: what a behavior survives, as plain data beside it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.robots import CARDS, USUAL_ROBOT
from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.common.outside_file import is_there, read_text
from backbeat.mpc.scenario.parts.world import SHIPPED_ENGINES
from backbeat.mpc.sweep.card.survivals import (
    Survival,
    SurvivedIn,
    controlled_by,
    counted,
    strained_in,
    survivals,
    where,
)

# Cards of format 1 are of Drake alone, and had its figures where others have engines.
FORMAT, OF_DRAKE_ALONE = 2, 1
_FIGURES = ("disturbances", "pushes", "push_margin", "push_margin_is_bound")
Made = TypeVar("Made")


@dataclass(frozen=True)
class EngineCard(SurvivedIn):
    """What a behavior survives in one engine, pushes too.

    Attributes:
        pushes: survival by size of a push, ascending.
        push_margin: the largest push that nine of ten survive [N s]; None when not
            even the least is.
        push_margin_is_bound: whether none larger was tried.
    """

    pushes: tuple[Survival, ...]
    push_margin: float | None
    push_margin_is_bound: bool

    @property
    def push_words(self) -> str:
        """The largest push."""
        push = "none" if self.push_margin is None else f"{self.push_margin:g} N s"
        return f"≥ {push}" if self.push_margin_is_bound else push


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
        engines: what is survived in each engine, all of the same disturbances.
        is_complete: whether no run is missing.
        missing: why there are no runs in one of our engines; "" where there are.
        controller: what took the place of our controllers; "" for these.
    """

    behavior: str
    behavior_key: str
    commit: str
    source: str
    seeds: int
    engines: tuple[EngineCard, ...]
    is_complete: bool
    missing: str = ""
    robot: str = USUAL_ROBOT
    controller: str = ""
    format: int = field(default=FORMAT)

    @property
    def least_survived(self) -> EngineCard:
        """The engine in which fewer runs survive the standard disturbances."""
        return min(self.engines, key=lambda e: (e.pooled.share, e.pooled.interval))

    @property
    def disturbances(self) -> tuple[Survival, ...]:
        """Survival by standard disturbance, in the engine that survives fewer."""
        return self.least_survived.disturbances

    @property
    def pooled(self) -> Survival:
        """All standard disturbances together, in the engine that survives fewer."""
        return self.least_survived.pooled

    @property
    def least_pushed(self) -> EngineCard:
        """The engine whose largest push is the lower one."""
        return min(
            self.engines,
            key=lambda e: (e.push_margin or 0.0, e.push_margin_is_bound),
        )

    @property
    def headline(self) -> str:
        """The card in a few words: the lower figures of its engines."""
        words = f"{self.pooled.words}, push {self.least_pushed.push_words}, "
        words += where([engine.engine for engine in self.engines])
        words += strained_in(self.engines)
        words += controlled_by(self.controller)
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
    missing: str = "",
    controller: str = "",
) -> RobustnessCard:
    """A card from the summaries of its sweeps.

    Args:
        behavior: what it is about.
        disturbances, pushes: see `backbeat.mpc.sweep.summary`; of the same engines.
        source: hash of the sources that simulated it.
        missing: why there are no runs in one of our engines; "" where there are.
        controller: what took the place of our controllers; "" for these.
    """
    return RobustnessCard(
        behavior=behavior.name,
        robot=behavior.robot_model.name,
        behavior_key=str(behavior.provenance.get("key")),
        commit=disturbances["commit"],
        source=source,
        seeds=len(disturbances["seeds"]),
        engines=tuple(
            _engine_card(behavior, disturbances, pushes, margin)
            for margin in pushes["margins"]
        ),
        is_complete=disturbances["is_complete"] and pushes["is_complete"],
        missing=missing,
        controller=controller,
    )


def _engine_card(
    behavior: Behavior,
    disturbances: Mapping[str, Any],
    pushes: Mapping[str, Any],
    margin: Mapping[str, Any],
) -> EngineCard:
    engine = margin["engine"]
    cells = [cell for cell in pushes["cells"] if cell["engine"] == engine]
    levels = sorted(cells, key=lambda cell: float(cell["level"]))
    return EngineCard(
        engine=engine,
        disturbances=survivals(behavior, disturbances, engine),
        pushes=tuple(counted(cell["level"], cell, behavior) for cell in levels),
        push_margin=margin["margin"],
        push_margin_is_bound=margin["at_least"],
    )


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
        if tree["format"] == OF_DRAKE_ALONE:
            figures = {name: tree.pop(name) for name in _FIGURES}
            of_drake = [{"engine": "drake", **figures}]
            tree |= {"format": FORMAT, "engines": of_drake}
        if tree["format"] != FORMAT:
            raise ValueError(f"format {tree['format']} is not {FORMAT}")
        if not tree["engines"]:
            raise ValueError("it has no engine")
        engines = tuple(_read_engine(engine) for engine in tree["engines"])
        return _checked(RobustnessCard(**{**tree, "engines": engines}))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        why = gist(error)
        raise BackbeatError(
            f"{path} is not a robustness card: {why}; remove it, or make it again "
            f"with 'backbeat card {path.stem}'"
        ) from None


def _read_engine(tree: Mapping[str, Any]) -> EngineCard:
    if tree["engine"] not in SHIPPED_ENGINES:
        raise ValueError(f"there is no engine {tree['engine']!r:.40}")
    parts = {name: _survivals(tree[name]) for name in ("disturbances", "pushes")}
    return _checked(EngineCard(**{**tree, **parts}))


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
