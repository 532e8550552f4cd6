"""`backbeat export`: a behavior or a run as a motion file, CSV, NPZ, MIDI and WAV."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from backbeat.cli.common.completion import behaviors_or_runs, motion_formats
from backbeat.cli.common.options import LIBRARY, LibraryFolder
from backbeat.cli.common.other_robot import (
    OfRobot,
    file_stem,
    placed_robot,
    refuse_robot_of_run,
)

if TYPE_CHECKING:
    import pandas as pd

    from backbeat.behaviors.library.behavior import Behavior
    from backbeat.models.robot.model import RobotModel
    from backbeat.sound.notes import Performance, SoundExtras


ExportedName = Annotated[
    str,
    typer.Argument(
        help="Behavior in the library, or run file; or the library of an imported "
        "folder, for a data set.",
        autocompletion=behaviors_or_runs,
    ),
]
CsvFile = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="CSV or motion file to write; folder of a data set."
    ),
]
MotionFormat = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        help="Motion file for other tools: csv-g1 (and other robots), beyondmimic, "
        "mjlab, holosoma, npz, csv; or mcap to watch it in Foxglove. May be repeated "
        "for a data set.",
        autocompletion=motion_formats,
    ),
]
MotionRate = Annotated[
    float | None,
    typer.Option(
        "--rate",
        help="Samples a second of a motion file; by default what its readers are used "
        "to, or those that there are.",
    ),
]
License = Annotated[
    str,
    typer.Option(
        "--license",
        help="Note for the card of a data set: who may do what with the takes.",
    ),
]
AllColumns = Annotated[
    bool, typer.Option("--all", help="All columns, not just joint angles.")
]
Base = Annotated[bool, typer.Option("--base", help="Include the floating base.")]
NpzFile = Annotated[
    Path | None, typer.Option(help="NPZ file to write, with all columns.")
]
MjcfFolder = Annotated[
    Path | None,
    typer.Option(
        help="Folder to write for MuJoCo: scene.xml with robot, scene and keyframes, "
        "and reference.npz."
    ),
]
MidiFile = Annotated[Path | None, typer.Option(help="MIDI file to write.")]
WavFile = Annotated[Path | None, typer.Option(help="WAV file to write.")]
Click = Annotated[bool, typer.Option("--click", help="Add a metronome to the drums.")]
Latency = Annotated[
    float, typer.Option(help="Delay of the drums in ms; negative for earlier.")
]
Backing = Annotated[
    Path | None, typer.Option(help="WAV file of your own to mix with the drums.")
]


def command(
    name: ExportedName,
    output: CsvFile = None,
    form: MotionFormat = None,
    rate: MotionRate = None,
    license_note: License = "",
    library: LibraryFolder = LIBRARY,
    robot: OfRobot = "",
    everything: AllColumns = False,
    base: Base = False,
    npz: NpzFile = None,
    mjcf: MjcfFolder = None,
    midi: MidiFile = None,
    wav: WavFile = None,
    click: Click = False,
    latency_ms: Latency = 0.0,
    backing: Backing = None,
) -> None:
    """Writes joint angles [s, rad] as CSV, or what was struck as MIDI and WAV.

    A dance may have the CSV file as a recording. An NPZ file has an array for each
    column, and the rest as JSON in `story`. `--format` writes what trainers read, a
    data set of an imported library, and `--mjcf` a folder that MuJoCo's viewer opens.

    The sound of a run file is that of its simulated contacts, and the sound of a
    behavior is that of its score.
    """
    from backbeat.models.common.atomic_file import check_places, refuse_to_replace
    from backbeat.models.common.errors import BackbeatError

    refuse_robot_of_run(name, robot)
    of = Exported(name, library, robot)
    others = (npz, mjcf, midi, wav, backing, everything or base or click or None)
    if _export_motions(of, form or [], rate, license_note, output, others):
        return
    if mjcf is not None:
        if (output or npz or midi or wav) is not None:
            raise BackbeatError("export --mjcf FOLDER and files one after the other")
        return _export_mjcf(of, mjcf)
    for path in (output, npz, midi, wav):
        refuse_to_replace(path, Path(name))
    if wav is not None:
        refuse_to_replace(midi, wav)
    check_places(output, npz, midi, wav)
    if midi is None and wav is None:
        if click or backing is not None or latency_ms:
            raise BackbeatError("name a sound file too: --midi PATH or --wav PATH")
        if npz is None:
            _export_csv(of, output, everything, base)
        elif output is not None or everything or base:
            raise BackbeatError("export CSV and NPZ one after the other")
        else:
            _export_npz(of, npz)
        return
    if output is not None or npz is not None or everything or base:
        raise BackbeatError(
            "export the table, CSV or NPZ, and the sound one after the other"
        )
    _export_heard(of, midi, wav, click, latency_ms, backing)


def _export_motions(
    of: "Exported",
    forms: list[str],
    rate: float | None,
    license_note: str,
    output: Path | None,
    others: tuple[object, ...],
) -> bool:
    """Writes motion files, one or a data set; returns whether that is asked for."""
    from backbeat.cli.analyze.export_data_set import DataSetOptions, export_data_set
    from backbeat.cli.analyze.export_motion import (
        export_motion,
        only_one,
        refuse_beside,
    )
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.common.outside_file import is_folder

    if is_folder(of.name):
        refuse_beside(forms or [""], others)
        options = DataSetOptions(forms, rate, of.robot, license_note)
        export_data_set(Path(of.name), options, output)
        return True
    if license_note:
        raise BackbeatError("--license is of a data set: name an imported library")
    if not forms and rate is None:
        return False
    refuse_beside(forms, others)
    export_motion(of, only_one(forms), rate, output)
    return True


class Exported(NamedTuple):
    """What is exported.

    Attributes:
        name: of a behavior, or path of a run file.
        library: folder of built behaviors.
        robot: of the behavior; "" for the usual one.
    """

    name: str
    library: Path
    robot: str

    @property
    def is_run(self) -> bool:
        """Whether it is a run file."""
        return self.name.endswith(".parquet")

    def behavior(self) -> "Behavior":
        """The behavior.

        Raises:
            BackbeatError: there is none.
        """
        from backbeat.behaviors.library.store import Library

        return Library(self.library).load(self.name, placed_robot(self.robot))

    def table(self) -> "tuple[pd.DataFrame, dict[str, Any]]":
        """All columns of a run file or a behavior, and what they do not say."""
        from backbeat.behaviors.library.table import to_frame, to_header
        from backbeat.mpc.runs.file import load_run

        if self.is_run:
            return load_run(Path(self.name))
        behavior = self.behavior()
        return to_frame(behavior), to_header(behavior)

    def robot_model(self) -> "RobotModel":
        """The robot of the behavior or the run."""
        from backbeat.mpc.runs.record import read_run

        return read_run(self.name).robot if self.is_run else self.behavior().robot_model


def _export_csv(
    of: Exported, output: Path | None, everything: bool, base: bool
) -> None:
    from backbeat.behaviors.takes.writers.text import joint_table
    from backbeat.models.common.atomic_file import replacing

    frame, _ = of.table()
    if not everything:
        frame = joint_table(frame, base)
    stem = Path(of.name).name.removesuffix(".parquet")
    path = output or Path(f"{file_stem(stem, of.robot)}.csv")
    with replacing(path) as file:
        frame.to_csv(file, index=False, float_format="%.9g")
    typer.echo(f"{path}: {len(frame)} rows, {len(frame.columns)} columns")


def _export_npz(of: Exported, path: Path) -> None:
    import json

    import numpy as np

    from backbeat.models.common.atomic_file import replacing

    frame, story = of.table()
    # Text has a length in NumPy, or reading it would have to trust the file.
    columns = {
        column: values.astype(str) if values.dtype == object else values
        for column, values in ((c, frame[c].to_numpy()) for c in frame.columns)
    }
    with replacing(path) as file:
        np.savez_compressed(file, story=np.array(json.dumps(story)), **columns)
    typer.echo(f"{path}: {len(columns)} arrays of {len(frame)} rows, and the story")


def _export_mjcf(of: Exported, folder: Path) -> None:
    from backbeat.cli.common.console import remarks
    from backbeat.models.common.errors import BackbeatError
    from backbeat.mpc.engines.mjcf_folder import write_scene

    if of.is_run:
        raise BackbeatError(
            "--mjcf writes a behavior of the library, not a run; name a behavior"
        )
    path, hulls = write_scene(of.behavior(), folder)
    typer.echo(f"{path}: robot, scene and keyframes")
    if hulls:
        remarks.print(f"shown as their convex hulls: {', '.join(hulls)}")
    _export_npz(of, folder / "reference.npz")


def _export_heard(
    of: Exported,
    midi: Path | None,
    wav: Path | None,
    click: bool,
    latency_ms: float,
    backing: Path | None,
) -> None:
    from backbeat.cli.common.sound_options import read_extras
    from backbeat.models.common.errors import BackbeatError

    if backing is not None and wav is None:
        raise BackbeatError("a backing is mixed into --wav PATH; MIDI has no room")
    performance = _performance(of)
    own = performance if wav is not None else None
    extras = read_extras(click, latency_ms, backing, own)
    _export_sound(performance, midi, wav, extras)


def _performance(of: Exported) -> "Performance":
    """What is heard: a run file's contacts, or the score of a behavior."""
    from backbeat.sound.notes import performed_in_file, planned

    if of.is_run:
        return performed_in_file(Path(of.name))
    return planned(of.behavior())


def _export_sound(
    performance: "Performance",
    midi: Path | None,
    wav: Path | None,
    extras: "SoundExtras",
) -> None:
    from backbeat.models.common.errors import BackbeatError
    from backbeat.sound.midi import write_midi
    from backbeat.sound.mix import mixed, write_wav

    notes = performance.heard(extras)
    if midi is not None and not notes:
        raise BackbeatError(
            f"{performance.name} strikes nothing, so there is no MIDI file; of a "
            "behavior to music, --click writes the beat"
        )
    if midi is not None:
        count = write_midi(performance, notes, midi)
        typer.echo(f"{midi}: {count} notes")
    if wav is not None:
        sound = mixed(
            notes,
            performance.duration,
            extras.backing,
            performance.music,
            performance.kit,
        )
        write_wav(sound, wav)
        typer.echo(f"{wav}: {len(performance.notes)} hits")
