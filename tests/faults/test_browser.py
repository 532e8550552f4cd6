"""Browsers that go away, and a port that somebody has: the show goes on, or says so."""

import base64
import os
import shutil
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from backbeat.behaviors.library.store import Library
from backbeat.stage.drawing.backdrop import HOST, place_of
from backbeat.stage.live import show as live
from backbeat.stage.live.show import LiveShow
from backbeat.stage.recording.browser import HEADLESS, find_chromium
from backbeat.stage.sources.kinds import PlannedSource
from tests.backbeat.performances import drumming, swaying
from tests.backbeat.test_play import ask
from tests.processes import sentences

TAKE = PlannedSource(drumming(True, 4.0))


@pytest.fixture
def show():
    show = LiveShow(TAKE, None)
    yield show
    show.close()


@pytest.mark.parametrize("command", [["play", "sway"], ["serve", "sway"]])
def test_a_taken_port_is_one_sentence(backbeat, tmp_path, command):
    Library(tmp_path).save(swaying(1.0))
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        code, out, errors = backbeat(*command, "--port", port, "--library", tmp_path)
    assert code == 2
    (sentence,) = sentences(errors)
    assert str(port) in sentence
    assert not out


def connect(show):
    """A connection as a page has one, that has been told all there is so far."""
    host, port = place_of(show._stage.meshcat)
    page = socket.create_connection((host, port), timeout=5.0)
    key = base64.b64encode(os.urandom(16)).decode()
    page.sendall(
        f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert b"101" in page.recv(64)
    return page


def is_watched(show, wanted):
    """Whether the show comes to know that it is, or is not, watched."""
    until = time.monotonic() + 10.0
    while show.is_watched != wanted and time.monotonic() < until:
        draw(show, 1)
        time.sleep(0.01)
    return show.is_watched == wanted


def draw(show, frames):
    """Draws so many moments, of which no two are alike."""
    for t in np.linspace(0.1, 3.9, frames):
        show.draw(TAKE.frame_at(t), 0.0)


def memory():
    """What this process has in memory [MB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_a_page_that_breaks_off_is_forgotten(show):
    """Its machine is gone: the connection is reset and not closed."""
    page = connect(show)
    assert is_watched(show, True)
    page.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    page.close()
    assert is_watched(show, False)
    with connect(show):
        assert is_watched(show, True)


def test_a_page_that_hangs_costs_no_memory(show, monkeypatch):
    """What it does not fetch is not kept for ever; when it is back, the show is too."""
    monkeypatch.setattr(live, "HANGS", 0.5)
    hand = "/robot/l_hand"
    with connect(show):
        assert is_watched(show, True)
        ask(show.url + "state")
        first = show._stage.meshcat._GetPackedTransform(hand)
        draw(show, 50)
        assert show._stage.meshcat._GetPackedTransform(hand) != first
        time.sleep(0.6)
        draw(show, 1)
        before, still = memory(), show._stage.meshcat._GetPackedTransform(hand)
        draw(show, 2000)
        assert memory() - before < 1.0
        assert show._stage.meshcat._GetPackedTransform(hand) == still
        ask(show.url + "state")
        draw(show, 1)
        assert show._stage.meshcat._GetPackedTransform(hand) != still


@pytest.mark.browser
def test_a_browser_that_is_killed_leaves_the_show_alone(show, tmp_path):
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium: apt install chromium")
    words = [path, "--no-sandbox", *HEADLESS]
    browser = subprocess.Popen(
        [*words, f"--user-data-dir={tmp_path / 'profile'}", show.url],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 30.0
        while not show.is_watched:
            assert time.monotonic() < until
            time.sleep(0.1)
        draw(show, 30)
    finally:
        os.killpg(browser.pid, signal.SIGKILL)
        browser.wait()
    assert is_watched(show, False)
    draw(show, 30)
    shutil.rmtree(tmp_path / "profile", ignore_errors=True)
