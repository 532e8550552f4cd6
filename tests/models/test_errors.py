"""The sentences that a user's mistakes end in."""

import ast
import pickle
from pathlib import Path

import pytest

from backbeat.models.common.errors import (
    BackbeatError,
    clipped,
    ended,
    gist,
    located,
    printable,
    steers,
    unknown_name,
)

CHECKOUT = Path(__file__).parents[2]
PACKAGES = ("models", "optimization", "behaviors", "mpc", "backbeat")
SOURCES = [f for p in PACKAGES for f in (CHECKOUT / p).rglob("*.py")]
# What a sentence, or half of one, is called in the code.
SENTENCES = {"error", "why", "sentence", "said", "reason", "problem", "what", "hint"}


def test_a_sentence_ends_once():
    assert ended("there is no such file") == "there is no such file."
    assert ended("there is no such file.") == "there is no such file."
    assert ended("did you mean snare?") == "did you mean snare?"


def test_a_near_name_is_offered_once():
    sentence = str(unknown_name("drum", "hihat", ["hi_hat", "ride", "hi_hat"]))
    assert sentence == "unknown drum 'hihat'; did you mean hi_hat?"


def test_a_sentence_stays_on_one_line():
    error = BackbeatError("cannot read groove\n.yaml: no such file")
    assert str(error) == "cannot read groove .yaml: no such file"
    # It comes back from other processes as it went there.
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


class OwnError(BackbeatError):
    """An error of a kind that joins fault and hint in its own way."""

    JOINT = ", or "


def test_fields_come_back_from_another_process():
    error = OwnError(
        "song: no",
        hint="set it",
        code="none",
        file="song.yaml",
        line=3,
        path=("parts", 1),
        subject="snar",
    )
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is OwnError
    assert str(again) == "song: no, or set it"
    assert vars(again) == vars(error)
    assert (again.fault, again.hint) == ("song: no", "set it")
    assert (again.file, again.line) == (Path("song.yaml"), 3)


def test_other_words_keep_the_fields():
    error = unknown_name("drum", "snar", ["snare"]).reworded("song: no snar")
    assert str(error) == "song: no snar"
    assert (error.code, error.subject) == ("unknown-name", "snar")


def raised(error, *places):
    """The error as it comes out of places, the innermost first."""
    try:
        if not places:
            raise error
        with located(*places[-1][0], file=places[-1][1]):
            raise raised(error, *places[:-1])
    except BackbeatError as found:
        return found


def test_a_place_is_put_together_on_the_way_out():
    error = BackbeatError("no", path=("hold",))
    found = raised(
        error, ((1,), None), (("parts",), "song.yaml"), (("score",), "a.yaml")
    )
    assert found is error
    # What is outside the file does not lead anywhere in it.
    assert (found.path, found.file) == (("parts", 1, "hold"), Path("song.yaml"))


def test_what_is_quoted_is_short():
    assert len(str(BackbeatError("no file " + "a" * 10_000))) < 300
    sentence = str(BackbeatError("known: " + "word " * 10_000 + "; choose one"))
    assert len(sentence) < 1500
    assert sentence.endswith("; choose one")


@pytest.mark.parametrize(
    "letters",
    ["\x1b[31m", "\x9b31m", "\x07", "\x00", "\u202e", "\ud800", "\x7f", "\u2066"],
)
def test_no_letter_that_steers_a_terminal_is_shown(letters):
    shown = str(BackbeatError(f"no behavior a{letters}b"))
    assert shown.isprintable()
    shown.encode()
    assert steers(letters)


def test_letters_of_all_languages_are_shown_as_they_are():
    for text in ("Große Trommel", "ドラム", "élan", "a\u00a0b", "🥁"):
        assert printable(text) == text
        assert not steers(text)
    assert not steers("two\nlines\tand more")


def test_the_gist_of_what_others_say_is_no_cut_sentence():
    said = "magic bytes not found in footer. Either the file is corrupted or\nno table."
    assert gist(said) == "magic bytes not found in footer"
    assert set(gist("word " * 100).split()) == {"word", "..."}


def test_what_is_cut_ends_with_a_word():
    said = "footer has no magic bytes. Either the file is corrupted or it is no table."
    assert gist(said) == "footer has no magic bytes"
    assert clipped(said) == said
    assert clipped(said, 46) == "footer has no magic bytes. Either the file is ..."
    assert clipped("a" * 300, 10) == "a" * 10 + " ..."
    assert gist(ValueError()) == "ValueError"


def cuts_words(node):
    """Whether this cuts what a program says at any letter: `str(error)[:200]`."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return False
    bounds = node.slice.lower, node.slice.upper
    numbers = [abs(ast.literal_eval(b)) for b in bounds if b and _is_number(b)]
    text = ast.unparse(node.value)
    says = text.startswith("str(") or (".join(" in text and ".split()" in text)
    return says and max(numbers, default=0) > 80


def _is_number(node):
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
    )


def ends_twice(node):
    """Whether this ends a sentence that has its own end: `f"{error}."`."""
    if not isinstance(node, ast.JoinedStr):
        return False
    for value, after in zip(node.values, node.values[1:], strict=False):
        if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant):
            name = ast.unparse(value.value).rpartition(".")[2]
            if name in SENTENCES and str(after.value).startswith((".", "?")):
                return True
    return False


@pytest.fixture(scope="module")
def places():
    """Where in the packages nodes of the code are found that are refused, by finder."""
    found = {cuts_words: [], ends_twice: []}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            for finds, where in found.items():
                if finds(node):
                    where.append(f"{path.relative_to(CHECKOUT)}:{node.lineno}")
    return found


@pytest.mark.parametrize(
    ("code", "finds"),
    [
        ("str(error)[:200]", cuts_words),
        ("' '.join(said.split())[-200:]", cuts_words),
        ("f'no {x}: {error}.'", ends_twice),
        ("f'{found.why}?'", ends_twice),
    ],
)
def test_no_message_is_cut_within_a_word_or_ends_twice(code, finds, places):
    assert finds(ast.parse(code).body[0].value)
    left = [p for p in places[finds] if not p.startswith("models/common/errors.py")]
    assert left == []
