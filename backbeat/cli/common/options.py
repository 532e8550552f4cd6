"""What subcommands share: types of options, and the code of an interrupted one."""

from pathlib import Path
from typing import Annotated

import typer

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
Unverified = Annotated[
    bool, typer.Option("--unverified", help="Run even if verification failed.")
]
ResultsAsJson = Annotated[bool, typer.Option("--json", help="Results as JSON.")]
MetricsAsJson = Annotated[bool, typer.Option("--json", help="Metrics as JSON.")]
