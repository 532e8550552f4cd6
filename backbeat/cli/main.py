"""The ``backbeat`` command: a table of subcommands, each loaded when it is called.

Nothing here imports Drake, numpy or pandas, so that ``backbeat --help`` answers at
once. The subcommand ``name`` is the function ``command`` of
``backbeat/cli/FOLDER/name.py``, with Typer's annotations, or its Typer ``app`` where it
has subcommands of its own; adding one means that file, a line in `GROUPS`
and `FOLDERS`, and two examples.
"""

import errno
import importlib
import keyword
import os
import sys
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from backbeat.cli.common.options import INTERRUPTED
from backbeat.cli.examples import EXAMPLES

# Help lines by group, in the order in which people come to them.
GROUPS = {
    "Start": {
        "demo": "Build, track and record four behaviors, and make a page of them.",
        "play": "Show a behavior in the browser, live or as a recording.",
        "doctor": "Check this machine: what is missing, and how to install it.",
    },
    "Author": {
        "new": "Start a behavior of your own from a commented example.",
        "author": "Edit a dance, drums or a setlist in the browser, with the motion "
        "beside it.",
        "import": "Make behaviors of recorded motions, in the formats of other tools.",
        "check": "Check any file, specification or URDF: errors by line.",
        "build": "Build behaviors: solve, verify and store what has changed.",
        "moves": "List the moves for dances.",
        "list": "List the behaviors of the library.",
        "info": "Show a behavior, its certificate and its origin.",
        "schema": "Print the JSON Schema of a kind of file, for editors.",
    },
    "Simulate": {
        "track": "Simulate a behavior in closed loop and report the results.",
        "sweep": "Run behaviors over settings and seeds: success rates and margins.",
        "card": "Make robustness cards: what behaviors survive, and how often.",
        "tune": "Search weights of the controllers for a measure, and say what "
        "mattered.",
        "replay": "Repeat a run and compare it with its file bit for bit.",
        "serve": "Run the controllers in a process of their own (see --remote).",
    },
    "Analyze": {
        "report": "Write an HTML page about a behavior or a run.",
        "compare": "Compare two runs of one behavior: settings and results that "
        "differ.",
        "explain": "Explain a run at one time: goals, results and active limits.",
        "figure": "Draw figures of robot, kit and motion, from the model and the "
        "plans.",
    },
    "Robots": {
        "adopt": "Describe a robot from its URDF or MJCF, with the reasons.",
        "lint": "Check a URDF in detail: findings, and the support of each element.",
        "model": "Report on a robot description, compare two, or change one by an "
        "overlay.",
    },
    "Share": {
        "export": "Write a behavior or a run as a motion file, CSV, NPZ, MIDI or WAV.",
    },
}
SUBCOMMANDS = {n: text for group in GROUPS.values() for n, text in group.items()}
# Folders of subcommands in here; the others are beside this module.
FOLDERS = {
    "author": ("new", "author", "schema", "check", "build", "list", "info", "moves"),
    "takes": ("import",),
    "simulate": ("track", "play", "sweep", "tune", "card", "replay", "serve"),
    "analyze": ("report", "compare", "explain", "export", "figure"),
    "robots": ("adopt", "lint", "model"),
}


class SubcommandTable(TyperGroup):
    """A command group with names and help lines before anything is loaded."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {
            name: TyperCommand(name, help=text, rich_help_panel=group)
            for group, commands in GROUPS.items()
            for name, text in commands.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Finds the subcommand that `args` begin with, and loads it for real."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, load_subcommand(str(name)), rest


def load_subcommand(name: str) -> Any:
    """Imports the module of the subcommand `name` and makes its command."""
    folder = next((f"{f}." for f, names in FOLDERS.items() if name in names), "")
    # A word of Python's own cannot be imported.
    stem = f"{name}_" if keyword.iskeyword(name) else name.replace("-", "_")
    module = importlib.import_module(f"backbeat.cli.{folder}{stem}")
    # An empty line between two keeps them on lines of their own.
    epilog = "\n\n".join(("Examples:", *EXAMPLES[name]))
    if hasattr(module, "app"):  # It has subcommands of its own.
        module.app.info.help, module.app.info.epilog = SUBCOMMANDS[name], epilog
        return typer.main.get_command(module.app)
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    single.command(name, help=SUBCOMMANDS[name], epilog=epilog)(module.command)
    return typer.main.get_command(single)


def start_drake_ahead(args: list[str]) -> None:
    """Starts the process that `lint` asks, before the command line is even read.

    Importing Drake takes as long as all the rest of that subcommand.
    """
    if args[:1] == ["lint"] and not {"--no-drake", "--help", "-h"} & set(args):
        from backbeat.models.urdf.linting.drake_reader import start_ahead

        start_ahead()


def finish_printing(end: str = "") -> None:
    """Prints what is still to be printed, and `end`; or says why that cannot be."""
    try:
        print(end=end, flush=True)
    except OSError as error:
        # Python would try once more as it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.EPIPE:  # The reader has gone, as after `| head`.
            raise SystemExit(1) from None
        refuse(f"cannot print: {error.strerror}; send it somewhere else.")


def refuse(sentence: str) -> NoReturn:
    """Prints one sentence for the user and ends the program with exit code 2."""
    typer.echo(f"backbeat: {sentence}", err=True)
    raise SystemExit(2)


app = typer.Typer(
    cls=SubcommandTable,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def print_version(wanted: bool) -> None:
    """Prints the version and ends the program, when `wanted`."""
    if wanted:
        from importlib.metadata import version

        typer.echo(f"backbeat {version('backbeat')}")
        raise typer.Exit


@app.callback()
def backbeat(
    version: bool = typer.Option(
        False, "--version", callback=print_version, is_eager=True, help="Version."
    ),
) -> None:
    """Atlas drums, dances and holds a pose: plan, track, watch and measure."""


def main() -> None:
    """Runs the command line; what the ``backbeat`` script calls."""
    try:
        run()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def run() -> None:
    """Runs the command line, and prints a failure of its user as one sentence."""
    start_drake_ahead(sys.argv[1:])
    try:
        app()
    except SystemExit:
        finish_printing()
        raise
    except Exception as error:
        # If it was printing that failed, it fails once more.
        finish_printing("\n" if isinstance(error, OSError) else "")
        # Late, for a command that succeeds has no need of it.
        from backbeat.models.common.errors import BackbeatError, ended

        if not isinstance(error, BackbeatError):
            raise
        refuse(ended(str(error)))


if __name__ == "__main__":
    main()
