"""What is asked for of a folder of takes, and its account beside the table."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.jobs.take_table import takes_folder
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError, one_line
from backbeat.models.common.outside_file import read_text

STORY = "import.json"


@dataclass(frozen=True)
class ImportSettings:
    """What is asked for of all takes of a folder.

    Attributes:
        folder: name of the folder that they are in.
        library: folder of behaviors.
        robot: whose motions they become; "" to be found out for each.
        described: what the user says about all of them.
    """

    folder: str
    library: Path
    robot: str
    described: RecordingDescription


def write_story(settings: ImportSettings) -> None:
    """Writes beside the table what was asked for, which a data set tells later."""
    usual = asdict(RecordingDescription())
    told = "".join(
        _option(key, value)
        for key, value in asdict(settings.described).items()
        if value != usual[key]
    )
    robot = f" --robot {Path(settings.robot).name}" if settings.robot else ""
    command = f"backbeat import {settings.folder}{robot}{told}"
    story = {"folder": settings.folder, "command": command}
    with replacing(takes_folder(settings.library) / STORY) as file:
        file.write((json.dumps(story, indent=1) + "\n").encode())


def _option(key: str, value: Any) -> str:
    values = value if isinstance(value, list) else [value]
    return "".join(f" --{key} {v}" for v in values)


def import_story(library: str | Path) -> dict[str, str]:
    """What was asked for: the `folder` of the takes, and the `command`.

    Raises:
        BackbeatError: it cannot be read.
    """
    path = takes_folder(library) / STORY
    try:
        story = json.loads(read_text(path))
        return {key: one_line(str(story[key])) for key in ("folder", "command")}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BackbeatError(
            f"{path} does not say what was imported; import the folder again"
        ) from None
