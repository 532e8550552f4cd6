"""The options of `backbeat build`."""

from typing import Annotated

import typer

from backbeat.cli.common.completion import specifications, yaml_files

Names = Annotated[
    list[str] | None,
    typer.Argument(
        help="Behaviors or setlists that ship, YAML files, or drums as MIDI "
        "or tablature files; without a name all behaviors are built.",
        autocompletion=specifications,
    ),
]
Force = Annotated[bool, typer.Option(help="Also build what is up to date.")]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1, help="Behaviors to build in parallel; by default one per core."
    ),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Show the solver's iterations.")
]
MaxTempo = Annotated[
    bool,
    typer.Option(
        "--max-tempo",
        help="Find the highest tempo of a drumming pattern and the limit "
        "that determines it; store nothing.",
    ),
]
Watched = Annotated[
    bool,
    typer.Option(
        "--watch",
        help="Watch one file: at every save solve what changed and show it "
        "in Meshcat, until Ctrl-C.",
    ),
]
Port = Annotated[
    int | None,
    typer.Option(help="Port of the page of --watch; any free one by default."),
]
Weights = Annotated[
    str | None,
    typer.Option(
        help="Weights of the trajectory in place of those of its kind: a weights file "
        "with the section trajectory.",
        autocompletion=yaml_files,
    ),
]
NoteMap = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        help="Meaning of the notes of MIDI files: NOTE=TARGET, such as "
        "22=hi_hat or 22=drop, general-midi, roland, alesis, yamaha, or "
        "a file with the key 'notes'. May be repeated.",
    ),
]
Channel = Annotated[
    int, typer.Option(help="Channel of the drums in MIDI files, 1 to 16.")
]
Unplayable = Annotated[
    str,
    typer.Option(
        help="Treatment of hits of MIDI and tablature files that two hands "
        "cannot play: refuse or drop."
    ),
]
TempoFactor = Annotated[
    float, typer.Option(help="Factor on the tempos of these files.")
]
Grid = Annotated[
    int,
    typer.Option(help="Move hits of these files to steps of a whole note, such as 16."),
]
LeastVelocity = Annotated[
    int, typer.Option(help="Leave out softer hits of these files, 1 to 127.")
]
