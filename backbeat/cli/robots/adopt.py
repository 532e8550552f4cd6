"""`backbeat adopt`: a robot YAML proposed for a model that nobody described."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.completion import models

if TYPE_CHECKING:
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
    from backbeat.models.common.atomic_file import (
        check_places,
        refuse_to_replace,
        replacing,
    )
    from backbeat.models.common.errors import BackbeatError

    path = output or model.with_suffix(".yaml")
    if path.suffix not in (".yaml", ".yml"):
        raise BackbeatError(f"-o {path}: name a file that ends in .yaml")
    made = path.with_suffix(".urdf")
    refuse_to_replace(path, model)
    check_places(path, picture)
    for file in (path, picture):
        if file is not None and file.exists() and not force:
            raise BackbeatError(
                f"{file} exists and is left as it is; name another file, or say --force"
            )
    adopted = adopt(model, path, read_efforts(effort or []), trunk)
    if adopted.model:
        refuse_to_replace(made, model)
        if made.exists() and not force:
            raise BackbeatError(
                f"{made} exists and would be replaced; name another file with -o, or "
                "say --force"
            )
    if picture is not None:
        from backbeat.figures.robot.adopted import write_adopted

        write_adopted(adopted, picture)
    if adopted.model:
        with replacing(made) as file:
            file.write(adopted.model.encode())
    with replacing(path) as file:
        file.write(adopted.text.encode())
    if as_json:
        print_json({"path": str(path), **adopted.proposal.as_data()})
        return
    print_proposal(adopted.proposal)
    typer.echo(f"{path}: written; see whether it is right by `backbeat check {path}`")


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
