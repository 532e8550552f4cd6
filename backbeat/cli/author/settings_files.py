"""Checks of files beside specifications: scenarios, sweeps, scores, kits and robots."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from backbeat.behaviors.specification.checking import LocatedFinding


class Reader(NamedTuple):
    """A kind of file, recognized by its keys.

    Attributes:
        keys: those it may have at the top level.
        read: reads and checks a file; raises a BackbeatError with what is wrong.
        further: finds more in a file that can be read; None if nothing does.
    """

    keys: frozenset[str]
    read: Callable[[Path], object]
    further: "Callable[[Path], list[LocatedFinding]] | None" = None


def reader_of(path: Path) -> Reader | None:
    """The reader of a YAML file without the key `kind`; None if there is none.

    The kind of file is the one that shares most keys with it; of two that share as
    many, the one with fewer keys.
    """
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.common.yaml_file import load_tree

    if path.suffix not in (".yaml", ".yml"):
        return None
    try:
        tree: Mapping[Any, Any] = load_tree(path)
    except BackbeatError:
        return None  # The check of specifications reports it.
    if "kind" in tree:
        return None
    found = tree.keys()
    best = max(_readers(), key=lambda r: (len(r.keys & found), -len(r.keys)))
    return best if best.keys & found else None


def check_settings(path: Path, reader: Reader) -> "list[LocatedFinding]":
    """The first failure in a file that is no specification, with its line."""
    from backbeat.behaviors.dance.rules import RuleFinding
    from backbeat.behaviors.specification.checking import LocatedFinding
    from backbeat.behaviors.specification.fault_lines import fault_line
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.common.outside_file import is_file

    try:
        reader.read(path)
    except BackbeatError as error:
        file = error.file if error.file and is_file(error.file) else path
        finding = RuleFinding(True, error.path, str(error))
        return [LocatedFinding(fault_line(error, file), finding, file=Path(file))]
    return [] if reader.further is None else reader.further(path)


def _readers() -> list[Reader]:
    """All readers of files without the key `kind`."""
    from backbeat.behaviors.drumming.drummer import kit_members
    from backbeat.behaviors.music.files.score_reader import load_score
    from backbeat.behaviors.music.notation.score_description import ScoreDescription
    from backbeat.behaviors.specification.checking import check_robot
    from backbeat.models.common.yaml_misfit import known_keys
    from backbeat.models.kit.description import kit_text
    from backbeat.models.kit.drum_kit import DrumKit
    from backbeat.models.kit.schema import KitDescription
    from backbeat.models.robot.description import RobotDescription, load_description
    from backbeat.models.urdf.overlay.file import Overlay, load_overlay
    from backbeat.mpc.scenario.specification import Scenario, load_scenario
    from backbeat.mpc.scenario.task_space_task import EARLIER_KEYS, TaskSpaceTask
    from backbeat.mpc.sweep.cells import SweepSettings
    from backbeat.mpc.sweep.specification import SETTING_KEYS, load_sweep

    members = kit_members(DrumKit())
    return [
        Reader(frozenset(known_keys(Scenario)), load_scenario),
        Reader(_keys(TaskSpaceTask) | EARLIER_KEYS, load_scenario),
        Reader(_keys(SweepSettings) | set(SETTING_KEYS), load_sweep),
        Reader(_keys(ScoreDescription), lambda p: load_score(p, members)),
        Reader(_keys(KitDescription), lambda p: kit_text(p.name, p.parent)),
        Reader(_keys(Overlay), load_overlay),
        Reader(_keys(RobotDescription), load_description, check_robot),
    ]


def _keys(schema: Any) -> frozenset[str]:
    return frozenset(field.name for field in fields(schema))
