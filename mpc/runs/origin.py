"""Origin of a run: everything besides its scenario that decides its numbers."""

import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from backbeat.behaviors.building.build_command import build_command
from backbeat.behaviors.building.build_key import source_hash
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.robots import robot_hash
from backbeat.models.common.errors import BackbeatError
from backbeat.models.mjcf.package import mujoco_version
from backbeat.mpc.control.user_code import UserCode
from backbeat.optimization.terms.user_file import UserFile

# Libraries that compute.
_LIBRARIES = ("backbeat", "drake", "numpy", "scipy", "piqp", "daqp")
_NAMES = {
    "behavior_key": "another build of the behavior",
    "robot_hash": "other files of the robot",
    "code": "other code of Backbeat",
}


@cache
def code_versions(engine: str = "drake") -> dict[str, str]:
    """Versions of what computes, by name; of engines only the one that is used.

    Raises:
        BackbeatError: the engine is not installed.
    """
    found = {"python": platform.python_version()}
    found |= {name: metadata.version(name) for name in _LIBRARIES}
    # The module says it, for more than one package of the index has it.
    return found | ({"mujoco": mujoco_version()} if engine == "mujoco" else {})


@cache
def machine() -> dict[str, str]:
    """What a run's last digits may hang on besides: processor and system."""
    return {
        "processor": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def origin_story(behavior: Behavior, engine: str = "drake") -> dict[str, Any]:
    """The origin of a run of a behavior that is made now, by name.

    Raises:
        BackbeatError: the engine is not installed.
    """
    return {
        "behavior_key": behavior.provenance.get("key"),
        "build": build_command(behavior),
        "robot_hash": robot_hash(behavior.robot),
        "code": _code(),
        "versions": code_versions(engine),
        "machine": machine(),
    }


@cache
def _code() -> str:
    """Hash of our sources, as they were when this process began to tell of them."""
    return source_hash(("models", "optimization", "behaviors", "mpc"))


def other_origins(story: Mapping[str, Any], behavior: Behavior) -> list[str]:
    """In what a run of a behavior made now would differ from one of a run file.

    Args:
        story: of the run file.
        behavior: as it is in the library.

    Returns:
        One phrase for each difference.

    Raises:
        BackbeatError: the engine of the run is not installed.
    """
    engine = str(story.get("scenario", {}).get("engine", "drake"))
    now, found = origin_story(behavior, engine), []
    for name, what in _NAMES.items():
        if story.get(name) != now[name]:
            found.append(what)
    for group in ("versions", "machine"):
        then = story.get(group, {})
        for name, value in now[group].items():
            if then.get(name) != value:
                was = then.get(name, "an unknown one")
                found.append(f"{name} {was} and not {value}")
    return found


def check_controller(
    story: Mapping[str, Any], code: UserCode | None, source: object
) -> list[str]:
    """Checks that a run made again has the controller that its file names.

    Args:
        story: of the run file.
        code: the user's file that is given now; None for none.
        source: the run file, for messages.

    Returns:
        One phrase where the file with the controller was changed; nothing else.

    Raises:
        BackbeatError: it lacks a controller that the run had, or has one too many.
    """
    told = story.get("controller")
    if told is None:
        without = "made with our own controllers; leave --controller out"
        return _check_none(code, source, without)
    if "file" not in told:
        raise BackbeatError(
            f"{source} was made by a program of the user's own, which gave it a "
            "controller; it can be made again there alone"
        )
    was = f"{told['file']}:{told['name']}"
    if code is None:
        raise BackbeatError(
            f"{source} was made with the controller {was} of the user's own; name it "
            f"again: --controller FOLDER/{was}"
        )
    same = code.story().items() <= told.items()
    return [] if same else [f"controller {was} as it was then, not {code} as it is"]


def check_terms(
    story: Mapping[str, Any], terms: UserFile | None, source: object
) -> list[str]:
    """The same of terms and disturbances of the user's own; as `check_controller`."""
    what = "terms" if "terms" in story else "disturbances"
    told = story.get(what)
    if told is None:
        of = "terms or disturbances of the user's own"
        return _check_none(terms, source, f"made without {of}; leave --with out")
    if "file" not in told:
        raise BackbeatError(
            f"{source} was made by a program of the user's own with the {what} of "
            f"{told['class']}; it can be made again there alone"
        )
    if terms is None:
        raise BackbeatError(
            f"{source} was made with the {what} of {told['file']}; name it again: "
            f"--with FOLDER/{told['file']}"
        )
    same = terms.story().items() <= told.items()
    return [] if same else [f"{what} of {told['file']} as they were then"]


def _check_none(given: object, source: object, without: str) -> list[str]:
    """Refuses what a run did not have; it is told of as `without`."""
    if given is not None:
        raise BackbeatError(f"{source} was {without}")
    return []
