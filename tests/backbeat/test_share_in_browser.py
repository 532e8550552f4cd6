"""A show that plays without its server, and one that goes to its timeline."""

import os
import re
import subprocess
import sys

import pytest

from tests.backbeat.test_author_in_browser import (
    READY,
    authored,
    open_page,
    until_verified,
)
from tests.backbeat.test_trial_in_browser import LITTLE

pytestmark = pytest.mark.browser
__all__ = ["authored"]


def test_a_show_plays_anywhere_and_opens_again(window, authored, tmp_path):
    # What stands in the file stays data in the page.
    hostile = LITTLE + "# </script><script>window.hacked = 1</script>\n"
    (tmp_path / "little.yaml").write_text(hostile)
    open_page(window, authored("little.yaml").url)
    until_verified(window, 0)
    window.page.click("#timeline .share")
    show = tmp_path / "little.html"
    notice = "document.querySelector('#overlay .notice').textContent"
    window.wait_for(f"{notice}.includes('little.html')", 120)
    # Without its server, from a file.
    window.leave()
    window.open(show)
    window.wait_for("Boolean(window.backbeat?.timeline)")
    assert window.run("window.hacked") is None
    window.until_says("#timeline .block", "bounce")
    window.until_says("#timeline .shown", "verified")
    assert not window.page.is_visible("#timeline .undo")
    window.run("backbeat.seek(2.0)")
    head = "document.querySelector('#timeline .playhead').getBoundingClientRect().x"
    ruler = "document.querySelector('#timeline .ruler').getBoundingClientRect().x"
    at = "backbeat.timeline.view.beat * backbeat.timeline.beatOf(2.0)"
    window.wait_for(f"Math.abs({head} + 1 - {ruler} - {at}) < 3")
    box = window.page.locator("#timeline .ruler").bounding_box()
    window.page.mouse.click(
        box["x"] + 4 * window.run("backbeat.timeline.view.beat"), box["y"] + 9
    )
    window.wait_for("Math.abs(backbeat.time() - 2.0) < 0.1")
    # And opened again, elsewhere.
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "got.html").write_bytes(show.read_bytes())
    other = type(authored("little.yaml"))(elsewhere, "got.html")
    try:
        open_page(window, other.url)
        window.until_says("#timeline .block", "bounce")
        assert (elsewhere / "little.yaml").read_text() == hostile
    finally:
        window.leave()
        other.end()


def test_a_show_goes_to_the_timeline_of_what_it_shows(window, tmp_path):
    (tmp_path / "little.yaml").write_text(LITTLE)
    run = [sys.executable, "-m", "backbeat.cli.main"]
    subprocess.run(
        [*run, "build", "little.yaml", "--library", "library"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    process = subprocess.Popen(
        [*run, "play", "little", "--library", "library", "--no-open"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ,
    )
    try:
        url = re.search(r"http://\S+", process.stdout.readline()).group()
        window.page.goto(url, wait_until="commit")
        window.wait_for("Boolean(window.backbeat)")
        window.page.click("#overlay button.edit")
        window.wait_for(READY, 120)
        assert window.page.url == url
        window.until_says("#timeline .block", "bounce")
        until_verified(window, 0)
    finally:
        window.leave()
        process.terminate()
        process.wait(60)
        process.stdout.close()
    # While one server has gone and the other is not there yet, nothing answers.
    lost = ("Failed to load resource", "WebSocket connection")
    window.errors = [e for e in window.errors if not e.startswith(lost)]
