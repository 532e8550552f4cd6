"""`backbeat adopt`: a robot YAML proposed for a model without a description."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.completion import models

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backbeat.behaviors.adoption.adopting import Adopted
    from backbeat.models.adoption.proposal import Proposal


def command(
    model: Annotated[
        Path,
        typer.Argument(help="Model of the robot: URDF or MJCF.", autocompletion=models),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Robot YAML to write; MODEL.yaml if not given."
        ),
    ] = None,
    effort: Annotated[
        list[str] | None,
        typer.Option(
            help="Effort limit of joints without one, N m: 100, or JOINT=100."
        ),
    ] = None,
    trunk: Annotated[
        str, typer.Option(help="Link that is the trunk, where that is not clear.")
    ] = "",
    picture: Annotated[
        Path | None,
        typer.Option(help="Draw roles and soles: PNG, SVG, PDF or HTML."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that exist.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="What is proposed, and why, as JSON.")
    ] = False,
) -> None:
    """Finds base, limbs, roles, soles and postures, and says what is a guess."""
    from backbeat.behaviors.adoption.adopting import adopt
    from backbeat.cli.common.console import print_json

    path = output or model.with_suffix(".yaml")
    # Of an MJCF a URDF is made.
    made = None if model.suffix == ".urdf" else path.with_suffix(".urdf")
    check_files(model, (path, made, picture), force)
    adopted = adopt(model, path, read_efforts(effort or []), trunk)
    write_files(adopted, path, picture)
    if as_json:
        print_json({"path": str(path), **adopted.proposal.as_data()})
        return
    print_proposal(adopted.proposal)
    typer.echo(f"{path}: written; see whether it is right by `backbeat check {path}`")


def check_files(model: Path, files: "Sequence[Path | None]", force: bool) -> None:
    """Finds out before the work whether files can be written.

    Raises:
        BackbeatError: one exists, is the model itself, or has no place.
    """
    from backbeat.models.common.atomic_file import check_places, refuse_to_replace
    from backbeat.models.common.errors import BackbeatError

    path = files[0]
    if path is not None and path.suffix not in (".yaml", ".yml"):
        raise BackbeatError(f"-o {path}: name a file that ends in .yaml")
    check_places(*files)
    for file in (f for f in files if f is not None):
        refuse_to_replace(file, model)
        if file.exists() and not force:
            raise BackbeatError(
                f"{file} exists and is left as it is; name another file, or say --force"
            )


def write_files(adopted: "Adopted", path: Path, picture: Path | None) -> None:
    """Writes the picture, the URDF that was made, and at last the robot YAML."""
    from backbeat.models.common.atomic_file import replacing

    if picture is not None:
        from backbeat.figures.robot.adopted import write_adopted

        write_adopted(adopted, picture)
    if adopted.model:
        with replacing(path.with_suffix(".urdf")) as file:
            file.write(adopted.model.encode())
    with replacing(path) as file:
        file.write(adopted.text.encode())


def read_efforts(words: list[str]) -> dict[str, float]:
    """Effort limits by joint [N m or N], that of "" for all that have none.

    Raises:
        BackbeatError: one is no number above zero.
    """
    from backbeat.models.common.errors import BackbeatError

    found: dict[str, float] = {}
    for word in words:
        name, _, value = word.rpartition("=")
        try:
            effort = float(value)
        except ValueError:
            effort = math.nan
        if not 0 < effort < math.inf:
            raise BackbeatError(
                f"--effort {word}: say a number above zero in N m, as in --effort 100 "
                "or --effort JOINT=100"
            )
        found[name] = effort
    return found


def print_proposal(proposal: "Proposal") -> None:
    """What was found and what was guessed, each with its reason."""
    from backbeat.models.common.errors import one_line

    for is_guess, title in ((False, "Found in the model:"), (True, "Guessed:")):
        typer.echo(title)
        for remark in proposal.remarks:
            if remark.is_guess is is_guess:
                typer.echo(one_line(f"  {remark.what}: {remark.said}"))
                typer.echo(one_line(f"      {remark.why}"))
