"""A child process answers, and its silence and its end are told."""

import os
import signal
import sys

import pytest

from backbeat.models.common.processes.child import (
    ChildEndedError,
    ChildProcess,
    ChildSilentError,
)

ECHO = """
import sys, time
from backbeat.models.common.processes.child import Parent
parent = Parent()
print("not an answer")
for request in parent.requests():
    if request == b"sleep":
        time.sleep(60)
    if request == b"end":
        sys.exit("out of paper")
    parent.answer(request[::-1])
"""


@pytest.fixture
def child(tmp_path, monkeypatch):
    (tmp_path / "echo_child.py").write_text(ECHO)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with ChildProcess("echo_child", "echo", "shout yourself") as child:
        yield child


@pytest.mark.parametrize("size", [1, 100_000, 5_000_000])
def test_an_answer_of_any_size_arrives(child, size):
    request = bytes(i % 251 for i in range(1000)) * (size // 1000) or b"x"
    child.send(request)
    assert child.receive(30.0) == request[::-1]


def test_silence_ends_the_child(child):
    child.send(b"sleep")
    with pytest.raises(ChildSilentError) as told:
        child.receive(0.5)
    assert str(told.value) == (
        "the echo process has not answered for 0.5 s and was ended; shout yourself"
    )
    assert child.has_ended


def test_its_last_words_are_told(child):
    child.send(b"end")
    with pytest.raises(ChildEndedError, match=r"ended with code 1: out of paper"):
        child.receive(30.0)


def test_a_request_to_one_that_was_killed_is_refused(child):
    child.send(b"hello")
    child.receive(30.0)
    os.kill(child.process_id, signal.SIGKILL)
    child._process.wait()
    with pytest.raises(ChildEndedError, match="code -9"):
        child.send(bytes(1_000_000))
