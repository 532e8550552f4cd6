"""The behavior of a run file: that of its library, or of its task space."""

from collections.abc import Mapping
from typing import Any

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.mpc.control.task_space_setup import task_space_behavior
from backbeat.mpc.runs.file import run_settings


def behavior_of_run(library: Library, story: Mapping[str, Any]) -> Behavior:
    """What was tracked in a run; of another build, if that is gone.

    Args:
        library: of built behaviors.
        story: of the run file.

    Raises:
        BackbeatError: the library has no such behavior.
    """
    scenario = run_settings(story)
    if scenario.control.task_space is not None:
        return task_space_behavior(scenario)
    robot = story.get("robot", {}).get("name", scenario.robot)
    return library.load_build(scenario.behavior, story.get("behavior_key"), robot)
