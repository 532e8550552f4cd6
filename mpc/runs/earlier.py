"""An earlier run under its default name is kept when another one takes the name."""

import json
from pathlib import Path

from backbeat.models.common.atomic_file import renamed
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_there
from backbeat.mpc.runs.file import load_run, settings_story
from backbeat.mpc.runs.origin import other_origins
from backbeat.mpc.simulation.run import SimulationRun

SUFFIX = ".run.parquet"


def keep_earlier(path: str | Path, run: SimulationRun) -> Path | None:
    """Makes way for the file of a run that is about to be written.

    A file of the same run, which repeats bit for bit, may be replaced; any other is
    renamed to ``NAME.earlier-1.run.parquet``, or the next number that is free.

    Args:
        path: where the run will be written.
        run: the new run.

    Returns:
        Where the earlier file is now; None if nothing is lost under `path`.

    Raises:
        BackbeatError: the earlier file cannot be renamed.
    """
    path = Path(path)
    if not is_there(path) or repeats(path, run):
        return None
    name, number = path.name.removesuffix(SUFFIX), 1
    while is_there(kept := path.with_name(f"{name}.earlier-{number}{SUFFIX}")):
        number += 1
    return renamed(path, kept)


def repeats(path: str | Path, run: SimulationRun) -> bool:
    """Whether a file holds the same run, by all that decides its numbers."""
    try:
        _, story = load_run(path)
    except BackbeatError:
        return False
    settings = json.loads(json.dumps(settings_story(run)))
    return {name: story.get(name) for name in settings} == settings and not (
        other_origins(story, run.behavior)
    )
