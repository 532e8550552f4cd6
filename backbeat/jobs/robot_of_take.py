"""The robot whose motion a take is, where the user names none."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backbeat.behaviors.dance.recordings.description import RecordingDescription

# Called with a sentence for the user.
Tell = Callable[[str], None]
# Robots of which a file may be, where none is named.
TRIED = ("atlas", "g1", "h1", "t1")


def robot_of(take: str | Path, described: "RecordingDescription", tell: Tell) -> str:
    """The robot that ships whose motion a file is.

    Args:
        take: the file.
        described: how it is to be read.
        tell: called with a sentence on which robot that is.

    Raises:
        BackbeatError: it is of none, or of more than one.
    """
    from backbeat.behaviors.library.behavior import make_robot
    from backbeat.behaviors.recording.take_file import read_take
    from backbeat.models.common.errors import BackbeatError

    take = Path(take)
    possible = _by_joints(take, described.format)
    if len(possible) == 1:
        tell(f"{take.name} has the joints of {possible[0]}, whose motion it is")
        return possible[0]
    fits, refusals = [], []
    for name in possible:
        try:
            read_take(take, make_robot(name), described.conventions())
            fits.append(name)
        except BackbeatError as error:
            refusals.append(error)
    if len(fits) == 1:
        tell(f"{take.name} has the joints of {fits[0]}, whose motion it is")
        return fits[0]
    if fits:
        raise BackbeatError(
            f"{take} may be a motion of {' or '.join(fits)}; say which with --robot"
        )
    if len({str(e) for e in refusals}) == 1:  # It is not the robot.
        raise refusals[0]
    raise BackbeatError(
        f"{take} is no motion of {', '.join(TRIED)}, of which none was named with "
        f"--robot; of {TRIED[0]}: {refusals[0].without(take)}"
    )


def _by_joints(take: Path, form: str) -> list[str]:
    """Robots that ship of which a file may be, by its names or number of joints.

    Raises:
        BackbeatError: the file is a person's motion, is in no format that is known, or
            is damaged.
    """
    from backbeat.behaviors.recording.take_file import take_bytes
    from backbeat.behaviors.takes.readers.formats import FORMATS, find_format
    from backbeat.behaviors.takes.readers.joints_of_file import joints_of_file
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.common.outside_file import is_there
    from backbeat.models.robot.description import find_description, load_description

    if not is_there(take):
        return list(TRIED)  # Its reader says what is wrong.
    raw = take_bytes(take)
    found = joints_of_file(
        raw, take, form if form in FORMATS else find_format(raw, take)
    )
    if found.of_person:
        raise BackbeatError(
            f"{take} is a person's motion, which any robot can have; say which with "
            f"--robot, such as {' or '.join(TRIED)}"
        )
    shared = {}
    for name in TRIED:
        described = load_description(find_description(name))
        joints = {joint for group in described.groups.values() for joint in group}
        shared[name] = found.shared(joints)
    # Without names, a number of columns may be that of one robot or of another.
    most = max(shared.values()) if found.names else 1
    return [n for n in TRIED if shared[n] >= most] or list(TRIED)
