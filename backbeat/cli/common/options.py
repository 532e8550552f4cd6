"""What subcommands share: types of options, and the code of an interrupted one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from backbeat.mpc.control.user_code import UserCode
    from backbeat.mpc.weights.controller_weights import ControllerWeights
    from backbeat.optimization.terms.user_file import UserFile

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
OwnTerms = Annotated[
    str | None,
    typer.Option(
        "--with",
        help="Python file of your own with terms of the programs, classes that "
        "inherit from their weights with a field for each term, or with disturbances.",
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


def controller_terms(path: str | None) -> "UserFile | None":
    """The file that `--with` names for a simulation, if it is given.

    Its disturbances are registered: call this before a scenario is read.

    Raises:
        BackbeatError: it does not load, or has neither terms nor disturbances.
    """
    from backbeat.mpc.disturbances.registry import register_file
    from backbeat.mpc.plans.weights import PredictiveWeights
    from backbeat.mpc.whole_body.programs.tasks import WholeBodyGains
    from backbeat.optimization.terms.user_file import load_terms, load_user_file

    if path is None:
        return None
    if register_file(found := load_user_file(path)):
        return found
    return load_terms(path, (PredictiveWeights, WholeBodyGains))


def weights_with(terms: "UserFile | None") -> "ControllerWeights":
    """The weights that ship, with terms of the user's own, if any."""
    from backbeat.mpc.weights.controller_weights import ControllerWeights

    return ControllerWeights.with_terms(terms)
