"""The sentences that a user's mistakes end in."""

import pickle

from models.errors import BackbeatError, ended, unknown_name


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
