"""Cells: the combinations of settings that a sweep is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import yaml

from backbeat.behaviors.library.behavior import named_with_robot
from backbeat.behaviors.library.robots import name_of
from backbeat.behaviors.motion.objectives import MotionWeights, TrajectoryChanges
from backbeat.models.common.bounds import SEED, SWEEP_SEEDS
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.schema import key
from backbeat.models.common.yaml_file import parse_yaml
from backbeat.mpc.disturbances.disturbance import DrawnFrom
from backbeat.mpc.disturbances.draws import random_stream
from backbeat.mpc.disturbances.registry import Kind, lists
from backbeat.mpc.scenario.parts.world import SHIPPED_ENGINES
from backbeat.mpc.scenario.specification import Scenario, read_scenario
from backbeat.mpc.sweep.margin import MarginSearch
from backbeat.mpc.sweep.success_rate import SequentialTest
from backbeat.optimization.terms.changes import given

COMBINATIONS = ("grid", "list")
# A kind of disturbance, and what it is drawn from.
Draw = tuple[Kind, DrawnFrom]


@dataclass
class SweepSettings:
    """What a sweep is, apart from the scenarios in it."""

    name: str = key("")
    """Name of its results; that of the file if it is left out."""
    summary: str = key("")
    """One sentence that describes it."""
    behaviors: list[str] = key(list)
    """Behaviors in the library."""
    robots: list[str] = key(list)
    """Robots that each of them runs on, shipped names or paths of robot YAMLs from the
    folder of the file; left out for Atlas or, where the library has none of Atlas, the
    only robot that has one. `--robot` of the command takes their place."""
    engines: list[str] = key(list)
    """[Engines](engines.md) that each of them runs in, `drake` or `mujoco`; left out
    for that of the scenario, Drake without one. `--engine` of the command takes their
    place."""
    seeds: int = key(1, ge=1, le=SWEEP_SEEDS)
    """Number of seeds per cell."""
    first_seed: int = key(0, ge=0, le=SEED - SWEEP_SEEDS)
    """The first of them."""
    combine: str = key("grid", choices=COMBINATIONS)
    """`grid` combines every value of each variation with every other; `list` the first
    of all, then the second of all, and so on."""
    sequential: SequentialTest | None = key(None)
    """Stops a cell as soon as a sequential test has decided, see below; all seeds run
    if it is left out."""
    search: MarginSearch | None = key(None)
    """Searches the margin of each cell, see below; cells are success rates if it is
    left out."""
    baseline: str = key("")
    """Case with which the margins of the others are compared."""
    pool: list[str] = key(list)
    """Keys, `behavior`, `robot`, `engine` or `case`, over which success rates are
    pooled."""


@dataclass
class SweepFile(SweepSettings):
    """All that a sweep says."""

    base: dict[str, Any] = key(dict)
    """Settings of all runs: keys of a [scenario](keys.md#scenarios), nested or with
    dots (`world.mass_spread`), and disturbances such as `push`, see below."""
    per_behavior: dict[str, dict[str, Any] | None] = key(dict)
    """Settings by behavior."""
    cases: dict[str, dict[str, Any] | None] = key(dict)
    """Settings by the name of a case."""
    variations: dict[str, list[Any]] = key(dict)
    """Lists of values by key."""


@dataclass(frozen=True)
class Cell:
    """One combination of settings, to be run with every seed.

    Attributes:
        behavior: name in the library.
        case: name of the case, "" without cases.
        values: value of every varied field.
        scenario: the settings, with no seed yet.
        draws: what disturbances are drawn from, each with its kind.
        robot: as the sweep names it, "" where it does not.
        engine: as the sweep names it, "" where it does not.
        trajectory: weights of the trajectory, by key, with which the behavior is built
            for the cell; none where it is the library's.
    """

    behavior: str
    case: str
    values: Mapping[str, Any]
    scenario: Scenario
    draws: tuple[Draw, ...]
    robot: str = ""
    engine: str = ""
    trajectory: Mapping[str, float] = field(default_factory=dict)

    def title(self) -> str:
        """What the cell is, on one line."""
        engine = self.engine
        if not engine and self.engine_name != "drake" and "engine" not in self.values:
            engine = self.engine_name
        words = [named_with_robot(self.behavior, self.robot_name), engine, self.case]
        words += [f"{name} {value}" for name, value in self.values.items()]
        return ", ".join(w for w in words if w)

    @property
    def robot_name(self) -> str:
        """What its robot is called, "" where the sweep names none."""
        return name_of(self.robot) if self.robot else ""

    @property
    def engine_name(self) -> str:
        """What moves the robot."""
        return self.scenario.world.engine

    def seeded(self, seed: int) -> Scenario:
        """The scenario of a run."""
        found: dict[str, Any] = {}
        for kind, sampling in self.draws:
            stream = kind.name if kind.stream is None else kind.stream
            item = sampling.drawn(random_stream(seed, stream))
            there = self.scenario.disturbances.of(kind)
            found[kind.list_key] = [*there, item]
        return self.scenario.changed(**found, seed=seed)


@dataclass(frozen=True)
class Sweep:
    """A specification that has been read.

    Attributes:
        settings: its own settings.
        base: settings of all scenarios.
        per_behavior: settings by behavior.
        cases: settings by name of the case.
        variations: values by field.
        where: source, for messages.
    """

    settings: SweepSettings
    base: Mapping[str, Any]
    per_behavior: Mapping[str, Mapping[str, Any]]
    cases: Mapping[str, Mapping[str, Any]]
    variations: Mapping[str, list[Any]]
    where: str

    @property
    def seeds(self) -> range:
        """The seeds of a cell."""
        first = self.settings.first_seed
        return range(first, first + self.settings.seeds)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All cells, behaviors first, then robots, cases and variations."""
        names = list(self.variations)
        columns = list(self.variations.values())
        mixed = (
            product(*columns)
            if self.settings.combine == "grid"
            else zip(*columns, strict=False)
        )
        rows = [dict(zip(names, row, strict=True)) for row in mixed] or [{}]
        return tuple(
            self._cell(behavior, robot, engine, case, row)
            for behavior in self.settings.behaviors
            for robot in self.settings.robots or [""]
            for engine in self.settings.engines or [""]
            for case in self.cases
            for row in rows
        )

    def at_level(self, cell: Cell, level: float | None) -> Cell:
        """The cell with the searched field at a value; as it is for None."""
        if level is None or self.settings.search is None:
            return cell
        values = {**cell.values, self.settings.search.field: level}
        return self._cell(cell.behavior, cell.robot, cell.engine, cell.case, values)

    def _cell(
        self,
        behavior: str,
        robot: str,
        engine: str,
        case: str,
        values: Mapping[str, Any],
    ) -> Cell:
        words = (behavior, robot, engine, case)
        where = f"{self.where} ({', '.join(w for w in words if w)})"
        tree: dict[str, Any] = {}
        layers = (self.base, self.per_behavior.get(behavior, {}), self.cases[case])
        for layer in (*layers, values):
            _merge(tree, layer, where)
        for name in ("behavior", "robot", "seed"):
            if name in tree:
                raise BackbeatError(f"{where}: {name} comes from the sweep's {name}s")
        if engine:
            if "engine" in tree:
                raise BackbeatError(
                    f"{where}: engine is {tree['engine']}, and the sweep's engines are "
                    f"{', '.join(self.settings.engines)}; give one of the two"
                )
            tree["engine"] = engine
        told = {kind: tree.pop(kind.name, None) for kind in lists()}
        draws = tuple(
            (kind, _sampling(kind, keys, where))
            for kind, keys in told.items()
            if keys is not None
        )
        of_motion = _motion_weights(tree, where)
        tree["behavior"], tree["robot"] = behavior, robot
        scenario = read_scenario(yaml_text(tree, where), where)
        about = behavior, case, dict(values), scenario, draws, robot, engine
        cell = Cell(*about, of_motion)
        cell.seeded(0).check()
        return cell


def _sampling(kind: Kind, told: Any, where: str) -> DrawnFrom:
    """What a sweep draws a disturbance from."""
    name, text = kind.name, yaml_text(told, where)
    return parse_yaml(kind.sampling(), text, f"{where}: {name}")


def _motion_weights(tree: dict[str, Any], where: str) -> dict[str, float]:
    """Takes the weights of the trajectory out of the settings of a scenario, checked.

    Raises:
        BackbeatError: there is no such weight, or it makes no sense.
    """
    weights = tree.get("weights")
    told = weights.pop("trajectory", {}) if isinstance(weights, dict) else {}
    where = f"{where}: weights: trajectory"
    changes = parse_yaml(TrajectoryChanges, yaml_text(told, where), where)
    MotionWeights(changes).check(where)
    return given(changes)


def _merge(tree: dict[str, Any], layer: Mapping[str, Any], where: str) -> None:
    """Puts settings into a tree; dotted names and nested keys go into branches."""
    for name, value in layer.items():
        first, _, rest = str(name).partition(".")
        if rest:
            value = {rest: value}
        if isinstance(value, dict):
            branch = tree.setdefault(first, {})
            if not isinstance(branch, dict):
                raise BackbeatError(
                    f"{where}: {first!r} is a value and has no {rest!r}"
                )
            _merge(branch, value, where)
        else:
            tree[first] = value


def on_weights(sweep: Sweep, told: Mapping[str, Any]) -> Sweep:
    """A sweep with weights of a file where its scenarios give none.

    Args:
        sweep: the sweep.
        told: weights by section and key, as of `load_weights`.
    """
    if not told:
        return sweep
    tree: dict[str, Any] = {}
    of_programs = {name: told[name] for name in told if name != "recovery"}
    layer = {"weights": of_programs, "recovery": told.get("recovery", {})}
    for own in (layer, sweep.base):
        _merge(tree, own, sweep.where)
    return replace(sweep, base=tree)


def yaml_text(tree: Any, where: str) -> str:
    """YAML of settings; a BackbeatError when they are none."""
    if not isinstance(tree, dict):
        raise BackbeatError(f"{where}: expected keys with values, not {tree!r}")
    return str(yaml.safe_dump(tree)) if tree else "{}"


def narrowed(
    sweep: Sweep,
    behaviors: Sequence[str] | None,
    seeds: int | None,
    robots: Sequence[str] | None = None,
    engines: Sequence[str] | None = None,
) -> Sweep:
    """A part of a sweep, or the same of other robots or in other engines.

    Args:
        sweep: the whole.
        behaviors: which of its behaviors; None for all.
        seeds: how many seeds; None for as many as it has.
        robots: in place of its own; None for these.
        engines: in place of its own; None for these.

    Raises:
        BackbeatError: it has no such behavior, or there is no such engine.
    """
    settings = sweep.settings
    for name in behaviors or ():
        if name not in settings.behaviors:
            raise unknown_name("behavior of the sweep", name, settings.behaviors)
    chosen = [n for n in settings.behaviors if not behaviors or n in behaviors]
    settings = replace(
        settings,
        behaviors=chosen,
        seeds=seeds or settings.seeds,
        robots=list(robots or settings.robots),
        engines=checked_engines(engines or settings.engines),
    )
    return replace(sweep, settings=settings)


def checked_engines(names: Sequence[str]) -> list[str]:
    """The names, where a sweep can run in all of these engines.

    Raises:
        BackbeatError: it cannot.
    """
    for name in names:
        if name not in SHIPPED_ENGINES:
            raise unknown_name("engine", name, SHIPPED_ENGINES)
    return list(names)
