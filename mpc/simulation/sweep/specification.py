"""Sweep specifications: which runs answer a question, as YAML.

    name: timing
    behaviors: [march]
    seeds: 20
    base: {duration: 8.0, world: {mass_spread: 0.1}}
    cases: {timing on: {timing: on}, timing off: {timing: off}}
    variations: {push.direction_deg: [0, 90, 180, 270]}
    search: {field: push.impulse, low: 20, high: 150, step: 10}

Every field of a scenario can be varied, nested ones by a dotted name. A push may be
given as `push`, by impulse and direction, besides the scenario's own `pushes`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from models.errors import BackbeatError, unknown_name
from models.yaml_file import load_yaml, parse_yaml, read_tree
from mpc.simulation.scenario import Push, Scenario
from mpc.simulation.sweep.margin import MarginSearch
from mpc.simulation.sweep.success_rate import SequentialTest
from mpc.simulation.world_error import Stream, random_stream

SHIPPED_FOLDER = Path(__file__).parent / "specifications"
COMBINATIONS = ("grid", "list")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
MAX_CELLS, MAX_SEEDS = 10_000, 10_000
# Keys whose values are settings of scenarios, and not of the sweep.
_OPEN = ("base", "per_behavior", "cases", "variations")


@dataclass
class PolarPush:
    """A push by size and direction."""

    # Start, in time of the behavior [s], and by how much the seed may shift it.
    time: float = 1.0
    time_spread: float = 0.0
    # Length of the push [s].
    duration: float = 0.1
    # Size of the impulse [N s] and its horizontal direction [deg]: 0 is forward,
    # 90 to the robot's left.
    impulse: float = 0.0
    direction_deg: float = 0.0
    # Link that is pushed.
    body: str = "pelvis"

    def push(self) -> Push:
        """The same in world axes."""
        angle = np.radians(self.direction_deg)
        # Without the dust of trigonometry, so that a direction of 90 is sideways.
        x, y = np.round(self.impulse * np.array([np.cos(angle), np.sin(angle)]), 9)
        impulse = [float(x) + 0.0, float(y) + 0.0, 0.0]
        return Push(self.time, self.duration, impulse, self.body)


@dataclass
class SweepSettings:
    """What a sweep is, apart from the scenarios in it."""

    # Name of its files; by default that of the specification's.
    name: str = ""
    summary: str = ""
    # Behaviors in the library.
    behaviors: list[str] = field(default_factory=list)
    # Seeds a cell: as many from the first one on.
    seeds: int = 1
    first_seed: int = 0
    # "grid": every value of each variation with every other; "list": the first of
    # all, the second of all, and so on.
    combine: str = "grid"
    # Stops cells early; absent, all seeds run.
    sequential: SequentialTest | None = None
    # Searches a margin for each cell; absent, cells are success rates.
    search: MarginSearch | None = None
    # Case to which the margins of the others are compared.
    baseline: str = ""
    # Fields, or "behavior", over which success rates are pooled.
    pool: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Cell:
    """One combination of settings, to be run with every seed.

    Attributes:
        behavior: name in the library.
        case: name of the case, "" without cases.
        values: value of every varied field.
        scenario: the settings, with no seed yet.
        push: the push by size and direction, None without.
    """

    behavior: str
    case: str
    values: Mapping[str, Any]
    scenario: Scenario
    push: PolarPush | None

    def title(self) -> str:
        """What the cell is, on one line."""
        words = [self.behavior, self.case]
        words += [f"{name} {value}" for name, value in self.values.items()]
        return ", ".join(w for w in words if w)

    def seeded(self, seed: int) -> Scenario:
        """The scenario of a run."""
        pushes = list(self.scenario.pushes)
        if self.push is not None:
            random = random_stream(seed, Stream.PUSH)
            shift = random.uniform(-self.push.time_spread, self.push.time_spread)
            push = self.push.push()
            pushes.append(replace(push, time=push.time + float(shift)))
        return replace(self.scenario, pushes=pushes, seed=seed)


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
        """All cells, behaviors first, then cases, then variations."""
        names = list(self.variations)
        columns = list(self.variations.values())
        mixed = (
            product(*columns)
            if self.settings.combine == "grid"
            else zip(*columns, strict=False)
        )
        rows = [dict(zip(names, row, strict=True)) for row in mixed] or [{}]
        return tuple(
            self._cell(behavior, case, row)
            for behavior in self.settings.behaviors
            for case in self.cases
            for row in rows
        )

    def at_level(self, cell: Cell, level: float | None) -> Cell:
        """The cell with the searched field at a value; as it is for None."""
        if level is None or self.settings.search is None:
            return cell
        values = {**cell.values, self.settings.search.field: level}
        return self._cell(cell.behavior, cell.case, values)

    def _cell(self, behavior: str, case: str, values: Mapping[str, Any]) -> Cell:
        where = f"{self.where} ({', '.join(w for w in (behavior, case) if w)})"
        tree: dict[str, Any] = {}
        layers = (self.base, self.per_behavior.get(behavior, {}), self.cases[case])
        for layer in (*layers, values):
            _merge(tree, layer, where)
        push = tree.pop("push", None)
        polar = None
        if push is not None:
            polar = parse_yaml(PolarPush, _text(push, where), f"{where}: push")
        tree["behavior"] = behavior
        scenario = parse_yaml(Scenario, _text(tree, where), where)
        cell = Cell(behavior, case, dict(values), scenario, polar)
        cell.seeded(0).check()
        return cell


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


def _text(tree: Any, where: str) -> str:
    if not isinstance(tree, dict):
        raise BackbeatError(f"{where}: expected keys with values, not {tree!r}")
    return str(yaml.safe_dump(tree)) if tree else "{}"


def shipped_sweeps() -> list[str]:
    """Names of the sweeps that come with Backbeat."""
    return sorted(p.stem for p in SHIPPED_FOLDER.glob("*.yaml"))


def find_sweep(name: str | Path) -> Path:
    """Path of a sweep: a shipped name, with or without ".yaml", or a YAML file.

    Raises:
        BackbeatError: neither.
    """
    path = Path(name)
    if path.is_file():
        return path
    shipped = SHIPPED_FOLDER / f"{path.stem}.yaml"
    if path.parent == Path() and shipped.is_file():
        return shipped
    if path.suffix in (".yaml", ".yml"):
        raise BackbeatError(f"no sweep file {path}")
    raise unknown_name("sweep", name, shipped_sweeps())


def load_sweep(path: Path) -> Sweep:
    """Reads a sweep and checks every scenario in it.

    Raises:
        BackbeatError: unreadable, unknown keys, or values that make no sense.
    """
    # For its messages about files; what is in it is read below.
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError):
        load_yaml(SweepSettings, path)
        raise
    return parse_sweep(text, str(path), path.stem)


def narrowed(sweep: Sweep, behaviors: Sequence[str] | None, seeds: int | None) -> Sweep:
    """A part of a sweep.

    Args:
        sweep: the whole.
        behaviors: which of its behaviors; None for all.
        seeds: how many seeds; None for as many as it has.

    Raises:
        BackbeatError: it has no such behavior.
    """
    settings = sweep.settings
    for name in behaviors or ():
        if name not in settings.behaviors:
            raise unknown_name("behavior of the sweep", name, settings.behaviors)
    chosen = [n for n in settings.behaviors if not behaviors or n in behaviors]
    settings = replace(settings, behaviors=chosen, seeds=seeds or settings.seeds)
    return replace(sweep, settings=settings)


def parse_sweep(text: str, where: str, name: str = "sweep") -> Sweep:
    """Reads a sweep from YAML text.

    Args:
        text: the YAML.
        where: names the source in errors.
        name: the sweep's name unless it has one.
    """
    tree = read_tree(text, where)
    known = {f.name for f in fields(SweepSettings)} | set(_OPEN)
    for key in tree:
        if key not in known:
            raise unknown_name(f"key in {where}", key, known)
    opened = {key: _branch(tree.pop(key, None), key, where) for key in _OPEN}
    if "baseline" in tree:
        tree["baseline"] = _word(tree["baseline"])
    settings = parse_yaml(SweepSettings, _text(tree, where), where)
    settings.name = settings.name or name
    if not _NAME.fullmatch(settings.name):
        raise BackbeatError(
            f"{where}: {settings.name[:80]!r} is not a name of a sweep; use letters, "
            "digits, '-' and '_'"
        )
    for key in ("per_behavior", "cases"):
        for inner, value in opened[key].items():
            opened[key][inner] = _branch(value, f"{key} {inner!r}", where)
    cases = {_word(k): v for k, v in opened["cases"].items()} or {"": {}}
    variations = {str(k): v for k, v in opened["variations"].items()}
    sweep = Sweep(
        settings, opened["base"], opened["per_behavior"], cases, variations, where
    )
    return _checked(sweep)


def _word(name: Any) -> str:
    """A name as it was written: YAML reads `on` and `off` as truth values."""
    return {True: "on", False: "off"}[name] if isinstance(name, bool) else str(name)


def _branch(value: Any, key: str, where: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BackbeatError(f"{where}: {key} needs names with values, not {value!r}")
    return value


def _checked(sweep: Sweep) -> Sweep:
    """The sweep, when all of it makes sense."""
    settings, where = sweep.settings, sweep.where
    if not settings.behaviors:
        raise BackbeatError(f"{where}: name the behaviors, for instance [stand, march]")
    if not 1 <= settings.seeds <= MAX_SEEDS or settings.first_seed < 0:
        raise BackbeatError(f"{where}: seeds is from 1 to {MAX_SEEDS}, first_seed >= 0")
    if settings.combine not in COMBINATIONS:
        raise unknown_name("combine", settings.combine, COMBINATIONS)
    sizes = {}
    for name, values in sweep.variations.items():
        if not isinstance(values, list) or not values:
            raise BackbeatError(f"{where}: {name} needs a list of values")
        sizes[name] = len(values)
    if settings.combine == "list" and len(set(sizes.values())) > 1:
        raise BackbeatError(f"{where}: a list needs equally many values of {sizes}")
    if settings.combine == "grid" and np.prod(list(sizes.values())) > MAX_CELLS:
        raise BackbeatError(f"{where}: more than {MAX_CELLS} cells")
    if settings.baseline and settings.baseline not in sweep.cases:
        raise unknown_name("case", settings.baseline, sweep.cases)
    for name in sweep.per_behavior:
        if name not in settings.behaviors:
            raise unknown_name("behavior in per_behavior", name, settings.behaviors)
    for name in settings.pool:
        if name not in ("behavior", "case", *sweep.variations):
            pools = ["behavior", "case", *sweep.variations]
            raise unknown_name("field to pool over", name, pools)
    for test in (settings.sequential, settings.search):
        if test is not None:
            test.check()
    for cell in sweep.cells:
        for level in settings.search.levels()[:1] if settings.search else [None]:
            sweep.at_level(cell, level)
    return sweep
