"""`backbeat export LIBRARY`: the verified motions of an import as a data set."""

import hashlib
import io
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from backbeat.models.common.errors import BackbeatError

if TYPE_CHECKING:
    from backbeat.behaviors.library.store import Library
    from backbeat.behaviors.takes.writers.data_card import DataCard, DataFormat

Row = Mapping[str, Any]


@dataclass(frozen=True)
class DataSetOptions:
    """What a data set is to be.

    Attributes:
        forms: names of formats.
        rate: samples a second; None for what readers of each are used to.
        robot: whose motions, by its folder in the library; "" for the only one.
        license: a note on who may do what with it.
    """

    forms: Sequence[str]
    rate: float | None
    robot: str
    license: str


def export_data_set(
    library: Path, options: DataSetOptions, output: Path | None
) -> None:
    """Writes the certified motions of an imported folder, whole or not at all.

    Args:
        library: that of the import.
        options: what the data set is to be.
        output: folder to write, new or empty; None for a name after the library.

    Raises:
        BackbeatError: there is no import, no such format, or the folder is taken.
    """
    from backbeat.cli.common.console import warn
    from backbeat.jobs.take_table import CERTIFIED, CUT, TakeTable, table_path
    from backbeat.models.common.outside_file import is_there

    if not options.forms:
        raise BackbeatError(
            "name the formats of a data set, --format mjlab or others; it may be "
            "repeated"
        )
    if not is_there(table_path(library)):
        raise BackbeatError(
            f"{library} is a folder without imported takes; 'backbeat import FOLDER -o "
            f"{library}' makes one with them"
        )
    rows = _of_one_robot(list(TakeTable(library).rows.values()), options.robot, library)
    good = [row for row in rows if row["status"] in (CERTIFIED, CUT)]
    if not good:
        raise BackbeatError(f"{library} has no certified motion to export")
    path = output or library.with_name(f"{library.resolve().name}-data")
    if is_there(path) and (not path.is_dir() or any(path.iterdir())):
        raise BackbeatError(
            f"{path} exists; name a folder that is new or empty with -o"
        )
    formats = _formats(options, str(good[0]["robot"]))
    if not options.license:
        warn("no --license was given, which the card of the data set says")
    path.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}-"))
    try:
        card = _write(made, library, path.name, options, formats, rows, good)
        made.chmod(0o755)
        made.rename(path)  # An empty folder gives way.
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    named = ", ".join(form.name for form in card.formats)
    typer.echo(
        f"{path}: {len(card.motions)} motions of {card.robot}, {card.seconds:.1f} s, "
        f"as {named}; card in {path / 'README.md'}"
    )


def _of_one_robot(rows: Sequence[Row], robot: str, library: Path) -> list[Row]:
    """Rows of one robot, and of takes of which it is not known."""
    from backbeat.behaviors.library.robots import robot_name
    from backbeat.cli.common.other_robot import placed_robot

    wanted = robot_name(placed_robot(robot)) if robot else ""
    known = sorted({row["robot"] for row in rows if row["robot"]})
    if not wanted and len(known) > 1:
        raise BackbeatError(
            f"{library} has motions of {' and '.join(known)}; choose one with --robot"
        )
    return [row for row in rows if row["robot"] in (wanted or row["robot"], None)]


def _formats(options: DataSetOptions, robot: str) -> "list[DataFormat]":
    from backbeat.behaviors.takes.writers.data_card import DataFormat
    from backbeat.behaviors.takes.writers.formats import written_format

    found = []
    for name in dict.fromkeys(options.forms):
        made = written_format(name, robot)
        found.append(DataFormat(name, made.summary, options.rate or made.rate))
    return found


class _Files:
    """Files of a data set, and their hashes.

    Attributes:
        hashes: SHA-256 by path from the folder.
    """

    def __init__(self, folder: Path) -> None:
        """Writes into a folder."""
        self._folder, self.hashes = folder, dict[str, str]()

    def write(self, name: str, content: bytes) -> str:
        """Writes a file, and returns its hash."""
        path = self._folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        self.hashes[name] = hashlib.sha256(content).hexdigest()
        return self.hashes[name]


def _write(
    made: Path,
    library: Path,
    title: str,
    options: DataSetOptions,
    formats: "Sequence[DataFormat]",
    rows: Sequence[Row],
    good: Sequence[Row],
) -> "DataCard":
    """Writes all files of a data set into a folder, and returns its card."""
    from backbeat.behaviors.library.store import Library
    from backbeat.behaviors.takes.writers.data_card import DataCard
    from backbeat.cli.common.console import progress_bar
    from backbeat.jobs.import_settings import import_story
    from backbeat.jobs.take_table import STATUSES
    from backbeat.optimization.verification.certificate import BOUNDS

    motions, samples, store = list[dict[str, Any]](), Counter[str](), Library(library)
    files = _Files(made)
    with progress_bar(title) as report:
        for number, row in enumerate(good):
            report(number / len(good), str(row["name"]))
            motions.append(_write_motion(files, store, row, formats, samples))
    count = Counter(row["status"] for row in rows)
    story = import_story(library)
    card = DataCard(
        title=title,
        robot=str(good[0]["robot"]),
        license=options.license,
        source=f"{len(rows)} takes of the folder {story['folder']}",
        formats=formats,
        counts={status: count[status] for status in STATUSES if count[status]},
        seconds=sum(m["seconds"] for m in motions),
        samples=dict(samples),
        versions=_versions(),
        command=str(story["command"]),
        bounds=BOUNDS,
        motions=motions,
    )
    files.write("takes.parquet", _table(good))
    files.write("card.json", card.as_json().encode())
    files.write("README.md", card.as_markdown().encode())
    sums = [f"{digest}  {name}\n" for name, digest in sorted(files.hashes.items())]
    files.write("SHA256SUMS", "".join(sums).encode())
    return card


def _write_motion(
    files: _Files,
    store: "Library",
    row: Row,
    formats: "Sequence[DataFormat]",
    samples: Counter[str],
) -> dict[str, Any]:
    """Writes a behavior in all formats, and returns what the card has of it.

    Raises:
        BackbeatError: it is not what the table says, or failed verification.
    """
    from backbeat.behaviors.library.robots import folder_name
    from backbeat.behaviors.library.stored import Stored
    from backbeat.behaviors.library.table import to_frame, to_header
    from backbeat.behaviors.takes.writers.formats import written_format
    from backbeat.behaviors.takes.writers.states import motion_states

    name = str(row["name"])
    behavior = store.load(Stored(folder_name(row["robot"]), name))
    key = behavior.provenance.get("key")
    if key != row["behavior_key"] or not behavior.certificate.passed:
        raise BackbeatError(
            f"{name} in {store.folder} is not what was imported; import the folder "
            "again"
        )
    frame, header, written = to_frame(behavior), to_header(behavior), {}
    for form in formats:
        writer = written_format(form.name, behavior.robot_model.name)
        states = motion_states(frame, header, behavior.robot_model, name, form.rate)
        path = f"{form.name}/{name}{writer.suffix}"
        samples[form.name] += len(states.t)
        written[form.name] = {
            "path": path,
            "samples": len(states.t),
            "sha256": files.write(path, writer.write(states)),
        }
    return {
        "name": name,
        "source": row["source"],
        "take_sha256": row["sha256"],
        "status": row["status"],
        "cuts": json.loads(row["cuts"]),
        "seconds": behavior.duration,
        "begins_s": row["begins_s"],
        "ends_s": row["ends_s"],
        "behavior_key": key,
        "files": written,
    }


def _table(rows: Sequence[Row]) -> bytes:
    """The rows as a Parquet file, without the pictures, which stay where they are."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from backbeat.jobs.take_table import KIND

    table = pa.Table.from_pylist([dict(row) for row in rows], KIND.schema)
    out = io.BytesIO()
    pq.write_table(table.drop_columns(["picture"]), out, compression="zstd")
    return out.getvalue()


def _versions() -> dict[str, str]:
    from datetime import UTC, datetime
    from importlib.metadata import version

    from backbeat.mpc.sweep.table import commit

    found = {"backbeat": version("backbeat"), "drake": version("drake")}
    if commit():
        found["commit"] = commit()
    return {**found, "date": datetime.now(UTC).date().isoformat()}
