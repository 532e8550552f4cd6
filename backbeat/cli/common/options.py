"""What subcommands share: types of options, and the code of an interrupted one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from backbeat.mpc.control.user_code import UserCode

LIBRARY = Path("library")
INTERRUPTED = 130  # what a shell says of a program that Ctrl-C ended

LibraryFolder = Annotated[
    Path, typer.Option(help="Folder of built behaviors.", envvar="BACKBEAT_LIBRARY")
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Run on a Dask cluster instead: tcp://HOST:PORT."),
]
RunsAtATime = Annotated[
    int | None, typer.Option(min=1, help="Runs in parallel; by default one per core.")
]
OwnController = Annotated[
    str | None,
    typer.Option(
        "--controller",
        help="Function of a file of your own, FILE.py:NAME, that makes what takes the "
        "place of the predictive or the whole-body controller.",
    ),
]
Unverified = Annotated[
    bool, typer.Option("--unverified", help="Run even if verification failed.")
]
ResultsAsJson = Annotated[bool, typer.Option("--json", help="Results as JSON.")]
MetricsAsJson = Annotated[bool, typer.Option("--json", help="Metrics as JSON.")]


def user_controller(place: str | None) -> "UserCode | None":
    """The function that `--controller` names, if it is given.

    Raises:
        BackbeatError: there is none.
    """
    from backbeat.mpc.control.user_code import load_user_code

    return None if place is None else load_user_code(place)
