"""A browser for the tests that look at what a user sees."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

from backbeat.cli.main import main
from backbeat.stage.recording.browser import HEADLESS, find_chromium

# Least deviation of what is seen, 0 to 1, with a robot in it.
SCENE = 0.08


@dataclass
class Window:
    """A browser window and what went wrong in it."""

    page: Any
    errors: list[str] = field(default_factory=list)

    def open(self, where: str | Path) -> None:
        """Opens a file or a URL."""
        url = where.resolve().as_uri() if isinstance(where, Path) else where
        self.page.goto(url)

    def leave(self) -> None:
        """Leaves the page, whose server may end then."""
        error = pytest.importorskip("playwright.sync_api").Error
        for _ in range(5):
            # A page that loads itself anew meanwhile is left once it has.
            with contextlib.suppress(error):
                self.page.goto("about:blank")
                return
        raise AssertionError("the page does not end to load itself anew")

    def run(self, script: str) -> Any:
        """Evaluates JavaScript."""
        return self.page.evaluate(script)

    def wait_for(self, condition: str, seconds: float = 60.0) -> None:
        """Waits until a JavaScript expression is true."""
        self.page.wait_for_function(condition, timeout=1e3 * seconds)

    def until_says(self, selector: str, words: str) -> None:
        """Waits until the first element of a selector says some words."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.wait_for(f"({found}?.innerText ?? '').includes({json.dumps(words)})")

    def until_there(self, selector: str, count: int) -> None:
        """Waits until there are so many elements of a selector."""
        found = f"document.querySelectorAll({json.dumps(selector)})"
        self.wait_for(f"{found}.length === {count}")

    def picture(self) -> np.ndarray:
        """(height, width, 3) what is seen, 0 to 1, after the last change is drawn."""
        self.page.wait_for_timeout(400)
        # Where a processor draws, a picture may come later than its change.
        drawn = "!document.getElementById('loading') && !window.viewer?.needs_render"
        self.page.wait_for_function(drawn, timeout=60_000)
        # What was drawn last may have come before the robot's parts, and what is drawn
        # is on the screen two frames later.
        self.run(
            """new Promise((done) => { window.viewer?.set_dirty();
            const frame = (k) => k ? requestAnimationFrame(() => frame(k - 1)) : done();
            frame(3); })"""
        )
        self.page.wait_for_function(drawn, timeout=60_000)
        self.run("new Promise((f) => requestAnimationFrame(() => setTimeout(f, 100)))")
        image = imread(BytesIO(self.page.screenshot(timeout=60_000)), "png")
        return np.asarray(image[..., :3])

    def full_picture(self, seconds: float = 60.0) -> np.ndarray:
        """The same once a scene is seen, whose parts come one by one."""
        end = time.monotonic() + seconds
        while (image := self.picture()).std() <= SCENE:
            assert time.monotonic() < end, "no scene is seen"
        return image

    def box(self, selector: str, seconds: float = 30.0) -> dict[str, float]:
        """Place of an element once it is there; its page may be drawing it anew."""
        end, found = time.monotonic() + seconds, self.page.locator(selector)
        while (box := found.bounding_box()) is None:
            assert time.monotonic() < end, f"{selector} has no place on the page"
        return dict(box)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless Chromium that works without a graphics card."""
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium: apt install chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        profile = tmp_path_factory.mktemp("profile")
        context = driver.chromium.launch_persistent_context(
            profile,
            executable_path=path,
            headless=True,
            args=[*HEADLESS, "--no-sandbox"],
            viewport={"width": 1000, "height": 640},
        )
        yield context
        context.close()


@pytest.fixture
def window(chromium: Any) -> Iterator[Window]:
    """A fresh window; whatever it complains about fails the test."""
    window = Window(chromium.new_page())

    def listen(message: Any) -> None:
        if message.type == "error":
            window.errors.append(message.text)

    window.page.on("console", listen)
    window.page.on("pageerror", lambda error: window.errors.append(str(error)))
    yield window
    window.page.close()
    assert not window.errors


@pytest.fixture
def backbeat(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """`backbeat(...)` gives exit code, stdout and stderr of a command."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["backbeat", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code or 0
        assert isinstance(code, int)
        return (code, *capsys.readouterr())

    return call
