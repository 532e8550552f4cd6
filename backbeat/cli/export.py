"""`backbeat export`: a behavior as a CSV file with columns by joint name."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    name: Annotated[str, typer.Argument(help="Behavior in the library.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file to write.")
    ] = None,
    library: Annotated[Path, typer.Option(help="Folder of behaviors.")] = Path(
        "library"
    ),
    everything: Annotated[
        bool, typer.Option("--all", help="All columns, not just joint angles.")
    ] = False,
) -> None:
    """Writes time and joint angles [s, rad] of a behavior as CSV."""
    from behaviors.behavior_table import to_frame
    from behaviors.library import Library
    from models.atomic_file import replacing

    behavior = Library(library).load(name)
    frame = to_frame(behavior)
    if not everything:
        joints = behavior.robot_model.joint_names
        frame = frame[["t", *(f"q.{j}" for j in joints)]]
        frame.columns = ["t", *joints]
    path = output or Path(f"{name}.csv")
    with replacing(path) as file:
        frame.to_csv(file, index=False, float_format="%.9g")
    typer.echo(f"{path}: {len(frame)} rows, {len(frame.columns)} columns")
