"""An MP4 from the page of what is edited: made beside it, and cancelled."""

import re
import shutil
import subprocess

import pytest

from backbeat.stage.players import filming
from backbeat.stage.recording.browser import find_chromium
from tests.backbeat.test_author_in_browser import authored, open_page, until_verified

pytestmark = pytest.mark.browser
__all__ = ["authored"]
NOTICE = "document.querySelector('#overlay .notice').textContent"
has_ffmpeg = pytest.mark.skipif(
    shutil.which("ffmpeg") is None, reason="no ffmpeg: apt install ffmpeg"
)
LITTLE = """\
kind: dance
name: little
bpm: 120
beats: 4
tracks: {body: [{move: twist, at: 1, beats: 2}]}
"""
FILM = "document.querySelector('#timeline .film')"


@has_ffmpeg
@pytest.mark.slow
def test_a_film_is_made_beside_the_file_with_its_sound(window, authored, tmp_path):
    (tmp_path / "little.yaml").write_text(LITTLE)
    (tmp_path / "little.mp4").write_bytes(b"another one")
    open_page(window, authored("little.yaml").url)
    until_verified(window, 0)
    window.page.click("#timeline .film")
    window.wait_for(f"{FILM}.dataset.share !== undefined")
    # The stage goes on meanwhile.
    window.run("backbeat.deck.seek(1.0)")
    window.wait_for("Math.abs(backbeat.time() - 1.0) < 0.05")
    window.wait_for(f"{NOTICE}.includes('little-2.mp4')", 600)
    window.wait_for(f"{FILM}.textContent === 'film'")
    assert (tmp_path / "little.mp4").read_bytes() == b"another one"
    told = subprocess.run(
        ["ffmpeg", "-hide_banner", "-i", "little-2.mp4"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    ).stderr
    assert re.search(r"Video: h264.*1280x720", told)
    assert "Audio: aac" in told
    hours, minutes, seconds = re.search(
        r"Duration: (\d+):(\d+):([\d.]+)", told
    ).groups()
    assert (hours, minutes) == ("00", "00")
    end = window.run("backbeat.state().end")
    assert float(seconds) == pytest.approx(end, abs=0.15)


@has_ffmpeg
def test_a_film_is_cancelled_with_a_click_and_leaves_nothing(
    window, authored, tmp_path
):
    path = tmp_path / "little.yaml"
    path.write_text(LITTLE[: LITTLE.index("tracks")] + "tracks: {}\n")
    open_page(window, authored("little.yaml").url)
    window.page.click("#timeline .film")
    window.wait_for(f"{NOTICE}.includes('when it is verified')")
    path.write_text(LITTLE)
    window.wait_for("backbeat.state().phase === 'verified'")
    window.page.click("#timeline .film")
    window.wait_for(f"Number({FILM}.dataset.share) > 0", 120)
    assert "%" in window.page.inner_text("#timeline .film")
    window.page.click("#timeline .film")
    window.wait_for(f"{NOTICE}.includes('cancelled')")
    window.wait_for(f"{FILM}.textContent === 'film'")
    assert not list(tmp_path.glob("*.mp4"))


def test_a_missing_program_is_said_in_a_sentence(
    window, authored, tmp_path, monkeypatch
):
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "chromium").symlink_to(find_chromium())
    monkeypatch.setenv("PATH", str(programs))
    (tmp_path / "little.yaml").write_text(LITTLE)
    open_page(window, authored("little.yaml").url)
    until_verified(window, 0)
    window.page.click("#timeline .film")
    window.wait_for(f"{NOTICE}.includes('ffmpeg, which is missing')")
    assert "apt install ffmpeg" in window.run(NOTICE)


def test_names_that_are_taken_are_left_alone(tmp_path):
    beside = tmp_path / "dance.yaml"
    assert filming._free(beside).name == "dance.mp4"
    (tmp_path / "dance.mp4").symlink_to("nowhere")
    assert filming._free(beside).name == "dance-2.mp4"
