"""A move of a dance alone, as a verified motion."""

from pathlib import Path

from backbeat.behaviors.building.build import Reports, solve
from backbeat.behaviors.dance.preview import preview
from backbeat.behaviors.dance.vocabulary.move_file import vocabulary
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.specification.transfer import transferred


def solve_preview(move: str, folder: str | Path, robot: str = "") -> Behavior:
    """A verified motion of one move of a dance alone.

    Args:
        move: name of the move.
        folder: where moves of the user's own may be.
        robot: that makes it, a shipped name or path of a robot YAML; "" for Atlas.

    Raises:
        BackbeatError: there is no such move or robot, or no motion was found.
    """
    folder = Path(folder)
    dance = preview(move, vocabulary(folder))
    reports = Reports(lambda share, what: None, lambda entry: None)
    alone = transferred(dance.dance, robot) if robot else dance.dance
    return solve(alone, alone.text(), folder / f"{move}.yaml", "", reports)
