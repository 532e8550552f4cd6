"""`backbeat model`: what a robot is made of, how two differ, and one with changes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.completion import robots, yaml_files

if TYPE_CHECKING:
    from backbeat.models.robot.description import RobotDescription
    from backbeat.models.urdf.reading.description import Description

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

ROBOT = "A URDF, a robot YAML beside one, or a shipped robot such as atlas."
# Faults of files that a description names do not keep it from being changed.
OF_OTHER_FILES = ("missing-mesh", "unreadable-mesh", "missing-picture")
_JSON = typer.Option("--json", help="The same as JSON.")


@app.command()
def report(
    robot: Annotated[str, typer.Argument(help=ROBOT, autocompletion=robots)],
    picture: Annotated[
        Path | None, typer.Option(help="Draw the tree of links: PNG, SVG or PDF.")
    ] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Report joints by group, masses, inertias, shapes, limits, frames and the tree."""
    from dataclasses import asdict

    from backbeat.models.urdf.overlay.model_report import model_report

    description, yaml = _read(robot)
    found = model_report(description, yaml.groups if yaml else None)
    if picture is not None:
        from backbeat.figures.robot.description_tree import write_tree

        write_tree(description, picture)
    counts = []
    if yaml is not None:
        from backbeat.models.collision.contact_points import count_contacts
        from backbeat.models.robot.description import find_description

        counts = count_contacts(find_description(robot))
    if as_json:
        from backbeat.cli.common.console import print_json

        print_json(asdict(found) | {"contact_sets": [c.as_data() for c in counts]})
    else:
        from backbeat.cli.robots.model_tables import print_report

        print_report(description, found, counts)


@app.command()
def diff(
    first: Annotated[str, typer.Argument(help=ROBOT, autocompletion=robots)],
    second: Annotated[str, typer.Argument(help=ROBOT, autocompletion=robots)],
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """What two descriptions do not have in common; old names of joints are known.

    Ends with 0 if they are alike, 1 if they differ.
    """
    from backbeat.models.urdf.overlay.model_diff import differences, renamed_joints

    (a, yaml_a), (b, yaml_b) = _read(first), _read(second)
    aliases = _aliases(yaml_a) | _aliases(yaml_b)
    renamed = renamed_joints(a, b, aliases)
    found = differences(a, b, renamed)
    if as_json:
        from backbeat.cli.common.console import print_json

        print_json({"renamed": renamed, "differences": [d.as_data() for d in found]})
    else:
        from backbeat.cli.robots.model_tables import print_differences

        print_differences((first, second), found, renamed)
    raise typer.Exit(1 if found else 0)


@app.command()
def overlay(
    file: Annotated[
        Path,
        typer.Argument(help="Overlay: a YAML of changes.", autocompletion=yaml_files),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="URDF to write; if not given, FILE.urdf."),
    ] = None,
) -> None:
    """Apply an overlay, a YAML of changes, to a URDF."""
    from backbeat.models.common.atomic_file import replacing
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.urdf.linting.lint import examine
    from backbeat.models.urdf.overlay.overlaying import apply_overlay
    from backbeat.models.urdf.reading.document import Document
    from backbeat.models.urdf.reading.finding import Severity
    from backbeat.models.urdf.reading.forward_kinematics import center_of_mass

    path = output or file.with_suffix(".urdf")
    raw = apply_overlay(file, path)
    description, findings = examine(Document(path, raw))
    errors = [
        f
        for f in findings
        if f.severity is Severity.ERROR and f.rule not in OF_OTHER_FILES
    ]
    if errors:
        raise BackbeatError(
            f"{file} makes a description with {len(errors)} errors, and nothing is "
            f"written; the first: {errors[0].where}: {errors[0].says}"
        )
    with replacing(path) as urdf:
        urdf.write(raw)
    mass, _ = center_of_mass(description)
    moving = len(list(description.moving_joints()))
    typer.echo(
        f"{path}: {description.name}, {len(description.links)} links, {moving} moving "
        f"joints, {mass:.6g} kg"
    )
    if any(f.rule == "missing-mesh" for f in findings):
        from backbeat.cli.common.console import warn

        warn(
            "meshes that lie neither beside nor below it are not drawn: put it into "
            "the folder of the description that it was made of, or name that folder "
            "in ROS_PACKAGE_PATH"
        )


def _read(robot: str) -> "tuple[Description, RobotDescription | None]":
    """A description, and the robot YAML that names it if one does."""
    from backbeat.models.robot.description import find_description, load_description
    from backbeat.models.urdf.reading.parsing import read_description

    path = Path(robot)
    if path.suffix == ".urdf":
        return read_description(path), None
    yaml_path = find_description(robot)
    yaml = load_description(yaml_path)
    return read_description(yaml_path.parent / yaml.urdf), yaml


def _aliases(yaml: "RobotDescription | None") -> dict[str, str]:
    """Old names of joints: those of a robot YAML, else those of Atlas."""
    from backbeat.models.robot.description import SHIPPED, load_description

    return dict((yaml or load_description(SHIPPED["atlas"])).aliases)
