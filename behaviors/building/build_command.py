"""The command that builds a behavior again, from what its build has noted."""

import shlex
from pathlib import Path
from typing import Any

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.robots import USUAL_ROBOT
from backbeat.behaviors.music.playing.offers import option_words
from backbeat.behaviors.specification.kinds import Variant, ships


def build_notes(path: str | Path, variant: Variant) -> dict[str, Any]:
    """What a provenance says of the file that was built, and with which options.

    Args:
        path: the file; one that ships is found by its name.
        variant: what was otherwise than it says.
    """
    options = option_words(variant.adapt)
    if variant.robot:
        options += ["--robot", variant.robot]
    if variant.terms:
        options += ["--with", variant.terms]
    if ships(path):
        return {"options": options}
    return {"options": options, "source": Path(path).resolve().as_posix()}


def build_command(behavior: Behavior) -> str:
    """The command line that builds a behavior of the library again.

    Files in the working folder or below it are named from there.
    """
    made: Any = behavior.provenance
    words, here = [behavior.name], Path.cwd()
    if source := made.get("source"):
        path = Path(source)
        words = [str(path.relative_to(here) if path.is_relative_to(here) else path)]
    if "options" in made:
        words += made["options"]
    elif behavior.robot != USUAL_ROBOT:
        words += ["--robot", behavior.robot]
    return shlex.join(["backbeat", "build", *words])
