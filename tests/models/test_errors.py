"""The sentences that a user's mistakes end in."""

from models.errors import ended, unknown_name


def test_a_sentence_ends_once():
    assert ended("there is no such file") == "there is no such file."
    assert ended("there is no such file.") == "there is no such file."
    assert ended("did you mean snare?") == "did you mean snare?"


def test_a_near_name_is_offered_once():
    sentence = str(unknown_name("drum", "hihat", ["hi_hat", "ride", "hi_hat"]))
    assert sentence == "unknown drum 'hihat'; did you mean hi_hat?"
