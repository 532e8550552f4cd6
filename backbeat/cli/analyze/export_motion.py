"""`backbeat export --format`: a behavior or a run as a motion file for other tools."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from backbeat.cli.common.other_robot import file_stem
from backbeat.models.common.errors import BackbeatError

if TYPE_CHECKING:
    from backbeat.cli.analyze.export import Exported


def refuse_beside(forms: Sequence[str] | None, others: Sequence[object]) -> None:
    """Refuses a rate without a format, and a format beside other files.

    Raises:
        BackbeatError: so it is.
    """
    if not forms:
        raise BackbeatError("--rate is of a motion file: name its --format too")
    if any(other is not None for other in others):
        raise BackbeatError("export a motion file, --format, and others one by one")


def only_one(forms: Sequence[str]) -> str:
    """The format of one motion.

    Raises:
        BackbeatError: there are several.
    """
    if len(forms) > 1:
        raise BackbeatError(
            "several formats are of a data set, of the library of an imported folder; "
            "export one behavior in one format after the other"
        )
    return forms[0]


def export_motion(
    of: "Exported", form: str, rate: float | None, output: Path | None
) -> None:
    """Writes a motion file, and says how many samples of which robot it has.

    Args:
        of: the behavior or run.
        form: name of the format.
        rate: samples a second; None for what its readers are used to.
        output: file to write; None for a name after the behavior and the format.

    Raises:
        BackbeatError: no such format, or nothing that it could be written of.
    """
    from backbeat.behaviors.takes.writers.formats import written_format
    from backbeat.behaviors.takes.writers.states import motion_states
    from backbeat.models.common.atomic_file import (
        check_places,
        refuse_to_replace,
        replacing,
    )

    robot = of.robot_model()
    made = written_format(form, robot.name)
    stem = Path(of.name).name.removesuffix(".parquet")
    ending = made.suffix if made.suffix == f".{form}" else f".{form}{made.suffix}"
    path = output or Path(f"{file_stem(stem, of.robot)}{ending}")
    refuse_to_replace(path, Path(of.name))
    check_places(path)
    frame, story = of.table()
    states = motion_states(frame, story, robot, stem, rate or made.rate)
    with replacing(path) as file:
        file.write(made.write(states))
    at = f" at {states.rate:g} samples/s" if states.rate else ""
    typer.echo(f"{path}: {len(states.t)} samples{at} of {robot.name}; {made.summary}")
