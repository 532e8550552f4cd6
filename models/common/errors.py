"""The one exception that a user's input can cause."""

import difflib
import re
import unicodedata
from collections.abc import Iterable


class BackbeatError(Exception):
    """Something the user can mend; the message is one sentence for them.

    It says what was asked, what exists, and what to do. The command line prints
    it without a traceback and exits with code 2. Line breaks, as a name from outside
    may have them, become spaces.
    """

    def __init__(self, sentence: object) -> None:
        """Makes the error; what is quoted in it may be of any length."""
        super().__init__(_shortened(one_line(str(sentence))))


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

    An error that says nothing is told by its kind.
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
    """What somebody wrote, in quotes and on one line, cut where it is long."""
    text = str(said)
    return repr(text if len(text) <= most else f"{text[:most]}...")


def unknown_name(kind: str, name: object, known: Iterable[str]) -> BackbeatError:
    """Error for a name that does not exist, with the nearest ones that do.

    Args:
        kind: what was looked up, e.g. "joint".
        name: what was asked for.
        known: every valid name.
    """
    names = sorted(set(known))
    near = difflib.get_close_matches(str(name)[:200], names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else ""
    listed = ", ".join(names) if len(names) <= 40 else f"{len(names)} names"
    return BackbeatError(
        f"unknown {kind} {shown(name)}; " + (hint or f"known: {listed or 'none'}")
    )
