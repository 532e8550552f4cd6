"""`python -m benchmarks.authoring`: times of the authoring page in headless Chromium.

A 60 s dance is opened, and blocks are dragged with the mouse by half a beat to two. A
drag is timed in the page, from the release of the button until its verified motion, or
its mark if it cannot be combined, is on the screen.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
import yaml

from backbeat.stage.recording.browser import HEADLESS, need_chromium
from benchmarks.measurement import markdown, write_results

BPM, BEATS = 110, 112
# Moves of the dance, by track, and the beats between two.
MOVES = {
    "legs": (10, ("bounce", "side-step", "side-step", "squat")),
    "body": (10, ("twist",)),
    "arms": (10, ("pump", "wave", "raise")),
    "head": (14, ("nod",)),
}
SHIFTS = (-2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0)
READY = "Boolean(window.backbeat?.timeline?.dance.now())"
# Whether the motion of a revision is seen, and whether its refusal is.
SEEN = (
    "(backbeat.state().revision >= {0} && backbeat.state()['is shown now'] && "
    "backbeat.state().shown === 'verified')"
)
REFUSED = "(backbeat.state().revision >= {0} && backbeat.state().phase === 'refused')"
MARKED = "document.querySelector('#timeline .block.fails') !== null"
# Milliseconds from the release until a condition is met, looked at in each frame.
UNTIL = """(condition) => new Promise((done) => {{
  const look = () => {0} ? done(performance.now() - window.released)
    : requestAnimationFrame(look);
  look();
}})"""
LISTEN = (
    "addEventListener('pointerup', () => (window.released = performance.now()), true)"
)


@dataclass
class AuthoringRow:
    """What was timed how often.

    Attributes:
        what: which time.
        count: how often.
        median, worst: of it [s].
    """

    what: str
    count: int
    median: float
    worst: float


def dance() -> dict[str, Any]:
    """A dance of a minute, with moves of four tracks."""
    tracks = {
        track: [
            {"move": moves[k % len(moves)], "at": at}
            for k, at in enumerate(range(2, BEATS - 12, gap))
        ]
        for track, (gap, moves) in MOVES.items()
    }
    return {
        "kind": "dance",
        "name": "long",
        "bpm": BPM,
        "beats": BEATS,
        "tracks": tracks,
    }


@contextmanager
def _authored(folder: Path) -> Iterator[tuple[str, float]]:
    """`backbeat author` on the dance: URL, and when the command began."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "backbeat.cli.main", "author", "long.yaml", "--no-open"]
        + ["--library", "library"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=os.environ,
    )
    assert process.stdout is not None
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found.group(), began
    finally:
        process.terminate()
        process.wait(60)


def _middle(page: Any, key: str) -> tuple[float, float]:
    box = page.evaluate(
        f"""(() => {{ const b = document.querySelector(
        '#timeline .block[data-key="{key}"]'); b.scrollIntoView({{inline: "center"}});
        return b.getBoundingClientRect().toJSON(); }})()"""
    )
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _drag(page: Any, key: str, beats: float) -> int:
    """Drags a block; the revision that comes of it."""
    before = page.evaluate("backbeat.timeline.dance.now().revision")
    beat = page.evaluate("backbeat.timeline.view.beat")
    x, y = _middle(page, key)
    page.mouse.move(x, y)
    page.mouse.down()
    for share in (0.3, 0.7, 1.0):
        page.mouse.move(x + share * beats * beat, y)
    page.mouse.up()
    return int(before) + 1


def _seconds(page: Any, condition: str) -> float:
    return float(page.evaluate(UNTIL.format(condition))) / 1e3


def _drags(page: Any, count: int, seed: int) -> tuple[list[float], list[float]]:
    """Times until a verified motion is seen, and until a mark is."""
    draw = np.random.default_rng(seed)
    verified: list[float] = []
    marks: list[float] = []
    rows = {track: len(events) for track, events in dance()["tracks"].items()}
    for _ in range(10):
        # A step on a step.
        revision = _drag(page, "legs 2", -8.0)
        seconds = _seconds(page, f"{MARKED} || {SEEN.format(revision)}")
        if page.evaluate(MARKED):
            marks.append(seconds)
        page.wait_for_timeout(1000)
        page.keyboard.press("Control+z")
        _seconds(page, SEEN.format(revision + 1))
    while len(verified) < count:
        track = str(draw.choice(list(MOVES)))
        key = f"{track} {draw.integers(1, rows[track] - 1)}"
        revision = _drag(page, key, float(draw.choice(SHIFTS)))
        seen, refused = SEEN.format(revision), REFUSED.format(revision)
        seconds = _seconds(page, f"{seen} || {refused}")
        if page.evaluate(seen):
            verified.append(seconds)
            print(f"{key}: {seconds:.2f} s", flush=True)
        else:
            print(f"{key}: refused after {seconds:.2f} s", flush=True)
            revision = int(page.evaluate("backbeat.timeline.dance.now().revision"))
            page.keyboard.press("Control+z")
            _seconds(page, SEEN.format(revision + 1))
    return verified, marks


def _timed(count: int, seed: int) -> list[AuthoringRow]:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        (folder / "long.yaml").write_text(yaml.safe_dump(dance(), sort_keys=False))
        browser = driver.chromium.launch(
            executable_path=need_chromium(), args=[*HEADLESS, "--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        first = []
        for k in range(4):
            with _authored(folder) as (url, began):
                page.goto(url, wait_until="commit")
                page.wait_for_function(READY)
                page.wait_for_function("!document.getElementById('loading')")
                first.append(time.monotonic() - began)
                if k < 3:
                    page.goto("about:blank")
                    continue
                page.evaluate(LISTEN)
                page.wait_for_function(SEEN.format(0), timeout=600_000)
                verified, marks = _drags(page, count, seed)
                page.goto("about:blank")
        browser.close()
    named = {"first page": first[1:], "drag to verified": verified, "mark": marks}
    return [
        AuthoringRow(what, len(times), float(np.median(times)), max(times))
        for what, times in named.items()
        if times
    ]


def main(
    count: Annotated[int, typer.Option(help="Drags that lead to a motion.")] = 50,
    seed: Annotated[int, typer.Option(help="Of blocks and shifts.")] = 0,
    out: Annotated[Path | None, typer.Option(help="JSON file of the results.")] = None,
) -> None:
    """Times drags on a dance of a minute, marks, and the first page."""
    rows = _timed(count, seed)
    texts = [
        [row.what, str(row.count), f"{row.median:.2f}", f"{row.worst:.2f}"]
        for row in rows
    ]
    print(markdown(["", "count", "median [s]", "worst [s]"], texts, words=1))
    if out is not None:
        write_results(out, authoring=[asdict(row) for row in rows])


if __name__ == "__main__":
    typer.run(main)
