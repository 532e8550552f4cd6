"""`backbeat export`: a behavior or a run as CSV, as MIDI and as WAV."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from backbeat.sound.notes import Performance, SoundExtras


def command(
    name: Annotated[str, typer.Argument(help="Behavior in the library, or run file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file to write.")
    ] = None,
    library: Annotated[Path, typer.Option(help="Folder of behaviors.")] = Path(
        "library"
    ),
    everything: Annotated[
        bool, typer.Option("--all", help="All columns, not just joint angles.")
    ] = False,
    base: Annotated[
        bool, typer.Option("--base", help="The floating base too [m].")
    ] = False,
    midi: Annotated[Path | None, typer.Option(help="MIDI file to write.")] = None,
    wav: Annotated[Path | None, typer.Option(help="WAV file to write.")] = None,
    click: Annotated[
        bool, typer.Option("--click", help="A metronome beside the drums.")
    ] = False,
    latency_ms: Annotated[
        float, typer.Option(help="Drums sound so much later, or earlier if negative.")
    ] = 0.0,
    backing: Annotated[
        Path | None, typer.Option(help="Your own WAV file to mix under the drums.")
    ] = None,
) -> None:
    """Writes joint angles [s, rad] as CSV, or what was struck as MIDI and WAV.

    A dance may have the CSV file as a recording.

    The sound of a run file is that of its simulated contacts, and the sound of a
    behavior is that of its score.
    """
    from backbeat.cli.sound_options import read_extras
    from models.errors import BackbeatError

    if midi is None and wav is None:
        if click or backing is not None or latency_ms:
            raise BackbeatError("name a sound file too: --midi PATH or --wav PATH")
        _export_csv(name, output, library, everything, base)
        return
    if output is not None or everything or base:
        raise BackbeatError("export the CSV file and the sound one after the other")
    if backing is not None and wav is None:
        raise BackbeatError("a backing is mixed into --wav PATH; MIDI has no room")
    performance = _performance(name, library)
    own = performance if wav is not None else None
    extras = read_extras(click, latency_ms, backing, own)
    _export_sound(performance, midi, wav, extras)


def _export_csv(
    name: str, output: Path | None, library: Path, everything: bool, base: bool
) -> None:
    from behaviors.behavior_table import to_frame
    from behaviors.library import Library
    from behaviors.recording.joint_file import joint_table
    from models.atomic_file import replacing
    from mpc.simulation.run_file import load_run

    if name.endswith(".parquet"):
        frame, _ = load_run(Path(name))
    else:
        frame = to_frame(Library(library).load(name))
    if not everything:
        frame = joint_table(frame, base)
    path = output or Path(f"{Path(name).name.removesuffix('.parquet')}.csv")
    with replacing(path) as file:
        frame.to_csv(file, index=False, float_format="%.9g")
    typer.echo(f"{path}: {len(frame)} rows, {len(frame.columns)} columns")


def _performance(name: str, library: Path) -> "Performance":
    """What is heard: a run file's contacts, or the score of a behavior."""
    from backbeat.sound.notes import performed_in_file, planned
    from behaviors.library import Library

    if name.endswith(".parquet"):
        return performed_in_file(Path(name))
    return planned(Library(library).load(name))


def _export_sound(
    performance: "Performance",
    midi: Path | None,
    wav: Path | None,
    extras: "SoundExtras",
) -> None:
    from backbeat.sound.midi import write_midi
    from backbeat.sound.mix import mixed, write_wav

    notes = performance.heard(extras)
    if midi is not None:
        count = write_midi(performance, notes, midi)
        typer.echo(f"{midi}: {count} notes")
    if wav is not None:
        sound = mixed(notes, performance.duration, extras.backing, performance.music)
        write_wav(sound, wav)
        typer.echo(f"{wav}: {len(performance.notes)} hits")
