"""`backbeat schema`, and the kinds of files that people write, with their readers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from backbeat.behaviors.specification.checking import LocatedFinding


def kinds(incomplete: str) -> list[str]:
    """Kinds of files that have a schema."""
    return [kind for kind in file_schemas() if kind.startswith(incomplete)]


def command(
    kind: Annotated[
        str,
        typer.Argument(
            help="Kind of file, such as dance, scenario, sweep or robot; without one, "
            "all are listed.",
            autocompletion=kinds,
        ),
    ] = "",
) -> None:
    """Prints what may stand in a kind of file as JSON Schema.

    Editors complete and check a file by it that names it in its first line, as all
    files of `backbeat new` do: # yaml-language-server: $schema=FILE.
    """
    if not kind:
        typer.echo("\n".join(file_schemas()))
        return
    typer.echo(schema_text(kind))


def schema_text(kind: str) -> str:
    """The JSON Schema of a kind of file.

    Raises:
        BackbeatError: there is no such kind.
    """
    from backbeat.models.common.errors import unknown_name
    from backbeat.models.common.schema_documents import json_schema

    known = file_schemas()
    if kind not in known:
        raise unknown_name("kind of file", kind, known)
    schema = json_schema(known[kind], f"{kind} of Backbeat")
    return json.dumps(schema, indent=2, ensure_ascii=False)


def with_schemas(files: dict[Path, str | bytes], folder: Path) -> dict[Path, str]:
    """JSON Schemas of new YAML files, which name them in a first line from here on.

    What the schema says of the keys of a file stands in it as comments, too.

    Args:
        files: texts by path; those of scores are in a folder `scores`.
        folder: into whose folder `schemas` the schemas go.
    """
    from backbeat.models.common.schema_documents import with_comments

    texts = {}
    for path, text in files.items():
        if path.suffix != ".yaml" or not isinstance(text, str):
            continue
        kinds = [x.split()[1] for x in text.splitlines() if x.startswith("kind:")]
        kind = kinds[0] if kinds else "score"
        beside = "../schemas" if path.parent != folder else "schemas"
        line = f"# yaml-language-server: $schema={beside}/{kind}.json"
        files[path] = f"{line}\n{with_comments(text, file_schemas()[kind])}"
        texts[folder / "schemas" / f"{kind}.json"] = schema_text(kind) + "\n"
    return texts


class Reader(NamedTuple):
    """A kind of file without the key `kind`, recognized by its keys.

    Attributes:
        schema: dataclass of its keys.
        read: reads and checks a file; raises a BackbeatError with what is wrong.
        further: finds more in a file that can be read; None if nothing does.
        earlier: further keys that files of earlier versions have at the top level.
    """

    schema: Any
    read: Callable[[Path], object]
    further: "Callable[[Path], list[LocatedFinding]] | None" = None
    earlier: frozenset[str] = frozenset()

    @property
    def keys(self) -> frozenset[str]:
        """Keys that it may have at the top level."""
        return self.earlier.union(field.name for field in fields(self.schema))


def file_schemas() -> dict[str, Any]:
    """The schema of every kind of file that people write, by name."""
    from backbeat.behaviors.setlist.specification import SetlistSpecification
    from backbeat.behaviors.specification.kinds import SETLIST, kind_class, kinds

    of_settings = {name: reader.schema for name, reader in _readers().items()}
    motions = {name: kind_class(name, name) for name in kinds()}
    return {**motions, SETLIST: SetlistSpecification, **of_settings}


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
    best = max(_readers().values(), key=lambda r: (len(r.keys & found), -len(r.keys)))
    return best if best.keys & found else None


def check_settings(path: Path, reader: Reader) -> "list[LocatedFinding]":
    """The first failure in a file that is no specification, with its line."""
    from backbeat.behaviors.motion.finding import RuleFinding
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


def _readers() -> dict[str, Reader]:
    """All readers of files without the key `kind`, by what these are."""
    from backbeat.behaviors.dance.vocabulary.move_file import load_move
    from backbeat.behaviors.dance.vocabulary.move_schema import MoveFile
    from backbeat.behaviors.drumming.drummer import kit_members
    from backbeat.behaviors.music.files.score_reader import load_score
    from backbeat.behaviors.music.notation.score_description import ScoreDescription
    from backbeat.behaviors.retargeting.skeleton_map import SkeletonMap, load_map
    from backbeat.behaviors.specification.checking import check_robot
    from backbeat.models.kit.description import kit_text
    from backbeat.models.kit.drum_kit import DrumKit
    from backbeat.models.kit.schema import KitDescription
    from backbeat.models.robot.description import RobotDescription, load_description
    from backbeat.models.urdf.overlay.file import Overlay, load_overlay
    from backbeat.mpc.scenario.specification import load_scenario, scenario_keys
    from backbeat.mpc.scenario.task_space_task import EARLIER_KEYS
    from backbeat.mpc.sweep.cells import SweepFile
    from backbeat.mpc.sweep.specification import load_sweep
    from backbeat.mpc.sweep.tuning import TuneFile, load_tuning
    from backbeat.mpc.weights.files import WeightsFile, load_weights

    members = kit_members(DrumKit())
    return {
        "move": Reader(MoveFile, load_move),
        "scenario": Reader(scenario_keys().schema, load_scenario, earlier=EARLIER_KEYS),
        "sweep": Reader(SweepFile, load_sweep),
        "tune": Reader(TuneFile, load_tuning),
        "weights": Reader(WeightsFile, load_weights),
        "score": Reader(ScoreDescription, lambda p: load_score(p, members)),
        "kit": Reader(KitDescription, lambda p: kit_text(p.name, p.parent)),
        "overlay": Reader(Overlay, load_overlay),
        "robot": Reader(RobotDescription, load_description, check_robot),
        "skeleton": Reader(SkeletonMap, load_map),
    }
