"""Sweep specifications: the runs of a study, as YAML.

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
from collections import Counter
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

from backbeat.behaviors.library.robots import robot_beside
from backbeat.models.common.bounds import SWEEP_CELLS, check_count
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.outside_file import is_file, is_there, read_text
from backbeat.models.common.schema import fit
from backbeat.models.common.yaml_file import read_tree
from backbeat.mpc.sweep.cells import (
    Sweep,
    SweepFile,
    checked_engines,
)

SHIPPED_FOLDER = Path(__file__).parent / "specifications"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def shipped_sweeps() -> list[str]:
    """Names of the sweeps that come with Backbeat."""
    return sorted(p.stem for p in SHIPPED_FOLDER.glob("*.yaml"))


def find_sweep(name: str | Path) -> Path:
    """Path of a sweep: a shipped name, with or without ".yaml", or a YAML file.

    Raises:
        BackbeatError: neither.
    """
    path = Path(name)
    if (path.suffix in (".yaml", ".yml") and is_there(path)) or is_file(path):
        return path
    shipped = SHIPPED_FOLDER / f"{path.stem}.yaml"
    if path.parent == Path() and is_file(shipped):
        return shipped
    if path.suffix in (".yaml", ".yml"):
        raise BackbeatError(f"no sweep file {path}")
    raise unknown_name("sweep", name, shipped_sweeps())


def load_sweep(path: str | Path) -> Sweep:
    """Reads a sweep and checks every scenario in it.

    Raises:
        BackbeatError: unreadable, unknown keys, or values that make no sense.
    """
    path = Path(path)
    sweep = parse_sweep(read_text(path), str(path), path.stem)
    robots = [robot_beside(robot, path) for robot in sweep.settings.robots]
    return replace(sweep, settings=replace(sweep.settings, robots=robots))


def parse_sweep(text: str, where: str, name: str = "sweep") -> Sweep:
    """Reads a sweep from YAML text.

    Args:
        text: the YAML.
        where: names the source in errors.
        name: the sweep's name unless it has one.
    """
    tree = read_tree(text, where)
    if "tune" in tree:
        raise BackbeatError(
            f"{where} has a tune section; `backbeat tune` runs such a sweep"
        )
    if "baseline" in tree:
        tree["baseline"] = _word(tree["baseline"])
    if isinstance(tree.get("cases"), dict):
        tree["cases"] = {_word(case): told for case, told in tree["cases"].items()}
    told = fit(SweepFile, tree, where)
    told.name = told.name or name
    if not _NAME.fullmatch(told.name):
        raise BackbeatError(
            f"{where}: {told.name[:80]!r} is not a name of a sweep; use letters, "
            "digits, '-' and '_'"
        )
    own = {name: values or {} for name, values in told.per_behavior.items()}
    cases = {name: values or {} for name, values in told.cases.items()} or {"": {}}
    return _checked(Sweep(told, told.base, own, cases, told.variations, where))


def _word(name: Any) -> str:
    """A name as it was written: YAML reads `on` and `off` as truth values."""
    return {True: "on", False: "off"}[name] if isinstance(name, bool) else str(name)


def _checked(sweep: Sweep) -> Sweep:
    """The sweep, when all of it makes sense."""
    settings, where = sweep.settings, sweep.where
    if not settings.behaviors:
        raise BackbeatError(f"{where}: name the behaviors, for instance [stand, march]")
    checked_engines(settings.engines)
    sizes = {}
    for name, values in sweep.variations.items():
        if not values:
            raise BackbeatError(f"{where}: {name} needs a list of values")
        sizes[name] = len(values)
    if settings.combine == "list" and len(set(sizes.values())) > 1:
        raise BackbeatError(f"{where}: a list needs equally many values of {sizes}")
    # In whole numbers, which do not overflow.
    of_values = prod if settings.combine == "grid" else max
    rows = of_values(sizes.values()) if sizes else 1
    check_count(
        where,
        "cells",
        len(settings.behaviors)
        * max(len(settings.robots), 1)
        * max(len(settings.engines), 1)
        * len(sweep.cases)
        * rows,
        SWEEP_CELLS,
    )
    if settings.baseline and settings.baseline not in sweep.cases:
        raise unknown_name("case", settings.baseline, sweep.cases)
    for name in sweep.per_behavior:
        if name not in settings.behaviors:
            raise unknown_name("behavior in per_behavior", name, settings.behaviors)
    for name in settings.pool:
        pools = ["behavior", "robot", "engine", "case", *sweep.variations]
        if name not in pools:
            raise unknown_name("field to pool over", name, pools)
    for test in (settings.sequential, settings.search):
        if test is not None:
            test.check()
    ((title, count),) = Counter(c.title() for c in sweep.cells).most_common(1)
    if count > 1:
        raise BackbeatError(f"{where}: there are {count} cells {title!r}")
    if settings.search:
        if settings.search.field.startswith("weights.trajectory"):
            raise BackbeatError(
                f"{where}: search: each value of {settings.search.field} is a motion "
                "of its own, which is built before the runs; list the values under "
                "variations"
            )
        levels = settings.search.levels()
        for cell in sweep.cells:
            for level in (levels[0], levels[-1]):
                sweep.at_level(cell, level)
    return sweep
