"""The sweeps of a robustness card, made for one behavior."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from backbeat.behaviors.kinematic.behavior import KINEMATIC
from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import read_text
from backbeat.models.common.yaml_file import read_tree
from backbeat.mpc.analysis.survival import RECOVERY
from backbeat.mpc.disturbances.registry import Kind, lists, registered
from backbeat.mpc.scenario.parts.world import SHIPPED_ENGINES
from backbeat.mpc.sweep.cells import Sweep, yaml_text
from backbeat.mpc.sweep.specification import parse_sweep

FOLDER = Path(__file__).parent
DISTURBANCES, PUSHES = "disturbances", "pushes"
# Pushes come in all of a behavior but this long before its end [s].
LAST = 0.2
# How long a run goes on after the last push is judged [s].
SPARE = 0.1


def _at_any_time(kind: Kind, when: Mapping[str, float]) -> dict[str, float]:
    """Time and spread of a disturbance, as far as it is drawn from such keys."""
    schema: Any = kind.sampling()
    known = {item.name for item in fields(schema)}
    return {name: value for name, value in when.items() if name in known}


def card_sweeps(
    behavior: Behavior,
    seeds: int | None = None,
    engines: Sequence[str] = SHIPPED_ENGINES,
) -> tuple[Sweep, Sweep]:
    """The standard disturbances, and the search for the largest push.

    Pushes come at any time of the behavior, as the seed decides.

    Args:
        behavior: what the card is about.
        seeds: seeds a cell; None for as many as the card has.
        engines: that each of them is run in.

    Raises:
        BackbeatError: nothing can follow the behavior.
    """
    if behavior.kind == KINEMATIC:
        raise BackbeatError(
            f"{behavior.name} is a kinematic preview, which no robot can follow; "
            "there is nothing to survive"
        )
    middle = max(behavior.duration - LAST, 0.0) / 2
    when = {"time": middle, "time_spread": middle}
    found = []
    for name in (DISTURBANCES, PUSHES):
        where = FOLDER / f"{name}.yaml"
        tree = read_tree(read_text(where), str(where))
        base = tree["base"]
        base["lead_out"] = RECOVERY + LAST + SPARE
        if name == DISTURBANCES:
            tree["cases"] |= {
                case: deepcopy(dict(told))
                for kind in registered()
                for case, told in kind.card.items()
            }
        for told in (base, *tree.get("cases", {}).values()):
            for kind in lists():
                if kind.name in told:
                    told[kind.name] |= _at_any_time(kind, when)
        tree |= {"behaviors": [behavior.name], "robots": [behavior.robot]}
        tree["engines"] = list(engines)
        sweep = parse_sweep(yaml_text(tree, str(where)), str(where))
        settings = replace(sweep.settings, name=f"{behavior.name}-{name}")
        if seeds is not None:
            settings = replace(settings, seeds=seeds)
        found.append(replace(sweep, settings=settings))
    return found[0], found[1]
