"""The one exception that a user's input can cause."""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Self

# Keys and places in lists, from the top of a file.
KeyPath = tuple[str | int, ...]
# Codes that distinguish errors; most have none.
UNKNOWN_NAME = "unknown-name"
UNKNOWN_BEHAVIOR = "unknown-behavior"


class BackbeatError(Exception):
    """Something the user can correct; the message is one sentence.

    It says what was asked, what exists, and what to do. The command line prints
    it without a traceback and exits with code 2. Line breaks, as a name from outside
    may have them, become spaces.

    The sentence is for people. What a program has to find out about an error is in
    these fields, which survive the way to another process:

    Attributes:
        fault: the sentence without its hint.
        hint: what to do, where that is said apart.
        code: which error it is, where something depends on that.
        file: the file in which the fault is, if another one than what is being read.
        line: its line, counted from 1; None where only the keys are known.
        path: keys and places in lists that lead to the fault, from the top.
        subject: what was written and is wrong, such as a name that does not exist.
    """

    # What joins the fault and the hint to one sentence.
    JOINT: ClassVar[str] = "; "

    def __init__(
        self,
        fault: object,
        *,
        hint: str = "",
        code: str = "",
        file: str | Path | None = None,
        line: int | None = None,
        path: KeyPath = (),
        subject: str = "",
    ) -> None:
        """Makes the error; what is quoted in it may be of any length."""
        self.fault, self.hint, self.code = str(fault), hint, code
        self.file = None if file is None else Path(file)
        self.line, self.path, self.subject = line, path, subject
        sentence = f"{self.fault}{self.JOINT}{hint}" if hint else self.fault
        super().__init__(_shortened(one_line(sentence)))

    def reworded(self, sentence: object) -> Self:
        """The same error in other words."""
        other = type(self)(sentence)
        other.code, other.subject = self.code, self.subject
        other.file, other.line, other.path = self.file, self.line, self.path
        return other

    def locate(
        self,
        path: KeyPath = (),
        file: str | Path | None = None,
        line: int | None = None,
    ) -> None:
        """Adds where the fault is, as far as the error does not say so yet.

        Args:
            path: keys that lead to where its own keys begin.
            file: the file that these are in.
            line: its line.
        """
        if self.file is not None:
            return  # Its place is in that file.
        self.path = (*path, *self.path)
        self.file = None if file is None else Path(file)
        self.line = line if self.line is None else self.line

    def without(self, place: object) -> str:
        """The sentence as it stands behind a place that is written already."""
        return behind_place(str(self), place)

    def naming(self, names: Mapping[object, str]) -> str:
        """The sentence with other names for files.

        Args:
            names: by what the sentence calls them; longer ones come first.
        """
        sentence = str(self)
        for called, name in names.items():
            sentence = sentence.replace(str(called), name)
        return sentence

    def repeats(self, other: "BackbeatError") -> bool:
        """Whether this is the fault that another error stated before."""
        return str(self) == str(other)

    def and_then(self, more: str) -> str:
        """The sentence with more behind it."""
        return str(self).removesuffix(".") + more

    def about(self, name: str) -> str:
        """The sentence with the name of what it is about, unless that is in it."""
        sentence = str(self)
        return sentence if name in sentence else f"{name}: {sentence}"


def behind_place(sentence: str, file: object, line: int | None = None) -> str:
    """A sentence as it stands behind a place, which it does not repeat."""
    sentence = sentence.removeprefix(f"{file}: ")
    if line is None:
        return sentence
    return sentence.removeprefix(f"{file}, line {line}").lstrip(",: ")


@contextmanager
def located(
    *path: str | int, file: str | Path | None = None, line: int | None = None
) -> Iterator[None]:
    """Errors inside are at these keys, and in this file, unless they say otherwise."""
    try:
        yield
    except BackbeatError as error:
        error.locate(path, file, line)
        raise


class NoMotionError(BackbeatError):
    """What is asked makes sense, and no motion that does it was found and verified."""


# Longest word of a sentence, and longest sentence, and how much is left of longer ones.
_WORD, _CUT_WORD = re.compile(r"\S{300,}"), 200
_LONGEST, _HEAD, _TAIL = 1400, 900, 400


def _shortened(sentence: str) -> str:
    """A sentence without the middle of what is far too long."""
    sentence = _WORD.sub(lambda word: f"{word[0][:_CUT_WORD]}...", sentence)
    if len(sentence) <= _LONGEST:
        return sentence
    return f"{sentence[:_HEAD]} ... {sentence[-_TAIL:]}"


def one_line(text: str) -> str:
    """A text whose line breaks, as a file's name may have them, are spaces."""
    return printable(" ".join(text.splitlines()))


def printable(text: str) -> str:
    """A text from outside as a terminal may show it.

    What steers a terminal, hides letters or turns them around, or is no letter at all,
    is written as Python would.
    """
    if text.isprintable():
        return text
    return "".join(c if _is_shown(c) else ascii(c)[1:-1] for c in text)


# What turns letters around that follow, or ends that.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def steers(text: str) -> bool:
    """Whether a text holds what steers a terminal, but blanks and ends of lines."""
    return any(
        c in _TURNS
        or (unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n\r\x85")
        for c in text
    )


def _is_shown(letter: str) -> bool:
    """Whether a letter may be shown as it is; blanks of any width may."""
    return letter.isprintable() or unicodedata.category(letter) == "Zs"


def ended(sentence: str) -> str:
    """A sentence with the full stop or question mark that ends it."""
    sentence = sentence.rstrip(".")
    return sentence if sentence.endswith("?") else f"{sentence}."


def gist(said: object, most: int = 200) -> str:
    """What another program says, as half a sentence: its first one, and no longer.

    An error without a message is named by its type.
    """
    text = " ".join(str(said).split()) or type(said).__name__
    return clipped(text.partition(". ")[0].rstrip("."), most)


def clipped(said: object, most: int = 200) -> str:
    """What another program says on one line, whole or cut behind a word."""
    text = " ".join(str(said).split())
    if len(text) <= most:
        return text
    return f"{text[:most].rpartition(' ')[0] or text[:most]} ..."


def shown(said: object, most: int = 80) -> str:
    """A text from a file, in quotes and on one line, cut where it is long."""
    text = str(said)
    return repr(text if len(text) <= most else f"{text[:most]}...")


def unknown_name(
    kind: str, name: object, known: Iterable[str], code: str = UNKNOWN_NAME
) -> BackbeatError:
    """Error for a name that does not exist, with the nearest ones that do.

    Args:
        kind: what was looked up, e.g. "joint".
        name: what was asked for, the subject of the error.
        known: every valid name.
        code: distinguishes this error from others.
    """
    names = sorted(set(known))
    near = difflib.get_close_matches(str(name)[:200], names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else ""
    listed = ", ".join(names) if len(names) <= 40 else f"{len(names)} names"
    return BackbeatError(
        f"unknown {kind} {shown(name)}",
        hint=hint or f"known: {listed or 'none'}",
        code=code,
        subject=str(name),
    )
