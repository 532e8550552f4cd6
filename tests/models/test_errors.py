"""The sentences that a user's mistakes end in."""

import pickle

import pytest

from models.errors import BackbeatError, ended, gist, printable, steers, unknown_name


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
