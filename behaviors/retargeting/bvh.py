"""BVH files: a hierarchy of joints, then a line of numbers for every frame.

Layout after Meredith, Maddock, "Motion Capture File Formats Explained", 2001. Whatever
cannot be meant is refused with its line.
"""

import io
import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from backbeat.behaviors.retargeting.skeleton import SkeletonJoint, SkeletonMotion
from backbeat.models.common.bounds import (
    LONGEST_TAKE,
    NUMBER_LETTERS,
    SKELETON_DEPTH,
    SKELETON_FRAMES,
    SKELETON_JOINTS,
    SKELETON_NUMBERS,
    check_count,
)
from backbeat.models.common.errors import BackbeatError, shown
from backbeat.models.common.outside_file import read_bytes

# Letters of a line of the hierarchy.
LINE_LETTERS = 1_000
# Fewest frames, and shortest and longest time between two [s].
FEWEST, QUICKEST, SLOWEST = 4, 1e-4, 1.0
# Numbers beyond are no places and no angles.
MOST = 1e7
# Lines of frames that become numbers at a time.
CHUNK = 2_000
# Names of channels.
CHANNELS = {
    f"{axis}{kind}".lower(): (axis, kind == "rotation")
    for axis in "XYZ"
    for kind in ("position", "rotation")
}
# What an end of a limb is called, after its joint.
END = " end"


class _Lines:
    """Lines of a text with their numbers, empty ones left out."""

    def __init__(self, raw: bytes, path: Path) -> None:
        self._raw, self.path = raw, path
        self.number, self._at = 0, 0

    def next(self, wanted: str) -> list[str]:
        """Words of the next line.

        Raises:
            BackbeatError: there is none, or it is no text.
        """
        while self._at < len(self._raw):
            end = self._raw.find(b"\n", self._at)
            end = len(self._raw) if end < 0 else end
            line, self._at = self._raw[self._at : end], end + 1
            self.number += 1
            if len(line) > LINE_LETTERS:
                raise self.error(f"the line is too long, where {wanted} should be")
            try:
                words = line.decode().split()
            except UnicodeDecodeError:
                raise self.error("the line is not text in UTF-8") from None
            if words:
                return words
        raise self.error(f"the file ends where {wanted} should be")

    def rest(self, longest: int) -> Iterator[tuple[int, bytes]]:
        """The lines that are left and not empty, with their numbers.

        Raises:
            BackbeatError: one has more letters than the longest may have.
        """
        file = io.BytesIO(self._raw)
        file.seek(self._at)
        while line := file.readline(longest + 2):
            self.number += 1
            if len(line) > longest and not line.endswith(b"\n"):
                raise self.error("the line is too long for the channels there are")
            if line.strip():
                yield self.number, line

    def error(self, fault: str) -> BackbeatError:
        return BackbeatError(f"{self.path}:{self.number}: {fault}", line=self.number)

    def numbers(self, words: list[str], count: int, what: str) -> np.ndarray:
        """Finite numbers of a line."""
        try:
            values = [_number(word) for word in words]
        except ValueError:
            values = []
        if len(values) != count:
            raise self.error(f"{what} has {count} finite numbers")
        return np.array(values)


def read_bvh(path: str | Path) -> SkeletonMotion:
    """Reads a BVH file.

    Raises:
        BackbeatError: what is wrong with it, with its line.
    """
    path = Path(path)
    return parse_bvh(read_bytes(path, "take"), path)


def parse_bvh(raw: bytes, path: str | Path) -> SkeletonMotion:
    """The motion that bytes of a BVH file hold.

    Args:
        raw: the bytes.
        path: names the file in errors.

    Raises:
        BackbeatError: what is wrong with it, with its line.
    """
    lines = _Lines(raw.removeprefix(b"\xef\xbb\xbf"), Path(path))
    first = lines.next("HIERARCHY")
    if [w.upper() for w in first] != ["HIERARCHY"]:
        raise lines.error("a BVH file begins with the line HIERARCHY")
    joints = _hierarchy(lines)
    count, dt = _timing(lines)
    width = sum(len(joint.channels) for joint in joints)
    if not width:
        raise lines.error("no joint has a channel, so that nothing moves")
    check_count(str(path), "frames", count, SKELETON_FRAMES)
    check_count(str(path), "numbers in its frames", count * width, SKELETON_NUMBERS)
    if count < FEWEST or count * dt > LONGEST_TAKE:
        raise lines.error(
            f"{count} frames of {dt:g} s last {count * dt:g} s; a take has at least "
            f"{FEWEST} frames and lasts up to {LONGEST_TAKE:g} s"
        )
    return SkeletonMotion(tuple(joints), dt, _frames(lines, count, width))


def _hierarchy(lines: _Lines) -> list[SkeletonJoint]:
    """The joints, up to the line MOTION."""
    joints: list[SkeletonJoint] = []
    # Of the joints that are open; a joint stands for itself once its brace is open.
    above: list[int] = []
    while True:
        words = lines.next("JOINT, End Site, } or MOTION")
        word = words[0].upper()
        if word == "MOTION" and joints and not above:
            return joints
        if word == "}" and above:
            above.pop()
            continue
        is_end = word == "END" and bool(above)
        if (word == "ROOT") == bool(joints) or not (
            word == "ROOT" or (above and (word == "JOINT" or is_end))
        ):
            raise lines.error(_misplaced(words, joints, above))
        braced = len(words) > 2 and words[-1] == "{"
        name = " ".join(words[1 : len(words) - braced])
        if is_end:
            name = joints[above[-1]].name + END
        if not braced and lines.next("{") != ["{"]:
            raise lines.error(f"{shown(name)} has no brace {{ after its name")
        _check_name(lines, name, joints, is_end)
        joints.append(_joint(lines, name, above[-1] if above else -1, is_end))
        above.append(len(joints) - 1)
        if len(joints) > SKELETON_JOINTS or len(above) > SKELETON_DEPTH:
            raise lines.error(
                f"a skeleton has up to {SKELETON_JOINTS} joints, {SKELETON_DEPTH} of "
                "them one inside the other"
            )


def _misplaced(words: list[str], joints: list[SkeletonJoint], above: list[int]) -> str:
    """What is wrong with a line of the hierarchy."""
    if words[0].upper() == "ROOT" and joints:
        return f"a second skeleton begins ({shown(' '.join(words))}); leave one"
    if not joints:
        return f"a hierarchy begins with ROOT and a name, not {shown(words[0])}"
    if words[0].upper() == "MOTION" and above:
        return f"{len(above)} braces are open at MOTION; close them"
    return f"{shown(' '.join(words))} is not part of a hierarchy"


def _check_name(
    lines: _Lines, name: str, joints: list[SkeletonJoint], is_end: bool
) -> None:
    if not name:
        raise lines.error("a joint has no name")
    if any(joint.name == name for joint in joints):
        what = "a second end" if is_end else "there twice, or inside itself"
        raise lines.error(f"the joint {shown(name)} is {what}; names are unique")


def _joint(lines: _Lines, name: str, parent: int, is_end: bool) -> SkeletonJoint:
    """A joint's offset and channels, in either order."""
    offset: np.ndarray | None = None
    channels: tuple[tuple[str, bool], ...] | None = () if is_end else None
    while offset is None or channels is None:
        words = lines.next(f"OFFSET or CHANNELS of {name}")
        word = words[0].upper()
        if word == "OFFSET" and offset is None:
            offset = lines.numbers(words[1:], 3, f"the offset of {shown(name)}")
        elif word == "CHANNELS" and channels is None:
            channels = _channels(lines, words[1:], name)
        else:
            raise lines.error(
                f"{shown(name)} needs one line OFFSET and one line CHANNELS, not "
                f"{shown(words[0])}"
            )
    return SkeletonJoint(name, parent, offset, channels)


def _channels(
    lines: _Lines, words: list[str], name: str
) -> tuple[tuple[str, bool], ...]:
    known = [CHANNELS.get(word.lower()) for word in words[1:]]
    found = [channel for channel in known if channel is not None]
    if (
        words[:1] != [str(len(found))]
        or len(found) != len(known)
        or len(set(found)) != len(found)
    ):
        raise lines.error(
            f"the channels of {shown(name)} are a number and so many of Xposition, "
            "Yposition, Zposition, Xrotation, Yrotation and Zrotation, each once"
        )
    return tuple(found)


def _timing(lines: _Lines) -> tuple[int, float]:
    """Number of frames, and the time between two [s]."""
    words = " ".join(lines.next("Frames:")).replace(":", " ").split()
    if len(words) != 2 or words[0].lower() != "frames" or not _is_count(words[1]):
        raise lines.error("after MOTION comes 'Frames:' and their number")
    count = int(words[1])
    words = " ".join(lines.next("Frame Time:")).replace(":", " ").split()
    if [w.lower() for w in words[:2]] != ["frame", "time"]:
        raise lines.error("after 'Frames:' comes 'Frame Time:' and the seconds of one")
    dt = float(lines.numbers(words[2:], 1, "Frame Time")[0])
    if not QUICKEST <= dt <= SLOWEST:
        raise lines.error(
            f"a frame takes {dt:g} s; from {QUICKEST:g} to {SLOWEST:g} s are possible"
        )
    return count, dt


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 10


def _frames(lines: _Lines, count: int, width: int) -> np.ndarray:
    """(count, width) numbers of the frames."""
    values, at = np.empty((count, width)), 0
    rows = lines.rest(width * (NUMBER_LETTERS + 2))
    while part := list(itertools.islice(rows, CHUNK)):
        if at + len(part) > count:
            raise lines.error(
                f"{count} frames are announced and more are there; correct the number "
                "after 'Frames:'"
            )
        values[at : at + len(part)] = _block(lines, part, width)
        at += len(part)
    if at < count:
        raise lines.error(
            f"{count} frames are announced and {at} are there; correct the number "
            "after 'Frames:'"
        )
    return values


def _block(lines: _Lines, rows: list[tuple[int, bytes]], width: int) -> np.ndarray:
    """(rows, width) numbers of some frames."""
    try:
        numbers = [float(word) for _, row in rows for word in row.split()]
    except ValueError:
        raise _wrong_row(lines, rows, width) from None
    block = np.array(numbers)
    even = len(block) == width * len(rows) and not any(b"_" in row for _, row in rows)
    if not even or not (np.abs(block) < MOST).all():
        raise _wrong_row(lines, rows, width)
    if any(len(row.split()) != width for _, row in rows):
        raise _wrong_row(lines, rows, width)
    return block.reshape(len(rows), width)


def _wrong_row(
    lines: _Lines, rows: list[tuple[int, bytes]], width: int
) -> BackbeatError:
    """Why lines are no frames; the first line that is none says it."""
    for number, row in rows:
        lines.number = number
        words = row.split()
        if len(words) != width:
            return lines.error(f"{len(words)} numbers for {width} channels")
        for word in words:
            try:
                good = abs(_number(word.decode("latin-1"))) < MOST
            except ValueError:
                good = False
            if not good:
                text = shown(word[:40].decode("utf-8", "replace"))
                return lines.error(f"{text} is no place and no angle")
    return lines.error("the frames are no numbers")


def _number(word: str) -> float:
    """A finite number as files have them.

    Raises:
        ValueError: it is none.
    """
    value = float(word)
    if len(word) > NUMBER_LETTERS or "_" in word or not math.isfinite(value):
        raise ValueError(word)
    return value
