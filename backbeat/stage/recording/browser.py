"""A headless Chromium, driven through a pipe: nothing else has to be installed.

Playwright would take 165 MB and 0.25 s more at start for these commands.
"""

import base64
import contextlib
import fcntl
import json
import os
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

from backbeat.models.common.closing import Closing
from backbeat.models.common.errors import BackbeatError

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
# A browser without a window, a graphics card or background tasks.
HEADLESS = (
    "--headless=new",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
FLAGS = (*HEADLESS, "--remote-debugging-pipe", "--hide-scrollbars")
# Chromium reads commands from the first of these and answers on the second.
READS, WRITES = 3, 4
# The longest that one answer may take, and a page to be ready [s].
PATIENCE = 120.0


def find_chromium() -> str | None:
    """Path of an installed Chromium or Chrome."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def need_chromium() -> str:
    """Path of an installed Chromium or Chrome.

    Raises:
        BackbeatError: there is none.
    """
    path = find_chromium()
    if path is None:
        raise BackbeatError(
            "a film is made by Chromium, which is missing: apt install chromium, or "
            "record an HTML file"
        )
    return path


class Browser(Closing):
    """One page in a browser without a window; see Chrome DevTools Protocol."""

    def __init__(self, width: int, height: int) -> None:
        """Starts the browser.

        Args:
            width, height: of the picture [pixels].

        Raises:
            BackbeatError: there is none, or it does not start.
        """
        self._profile = tempfile.mkdtemp(prefix="backbeat-film-")
        self._number, self._rest, self._session = 0, b"", ""
        self._pid, self._to, self._from = _spawn(need_chromium(), self._profile)
        try:
            target = self._ask("Target.createTarget", url="about:blank")["targetId"]
            self._session = self._ask(
                "Target.attachToTarget", targetId=target, flatten=True
            )["sessionId"]
            self._ask(
                "Emulation.setDeviceMetricsOverride",
                width=width,
                height=height,
                deviceScaleFactor=1,
                mobile=False,
            )
        except BaseException:
            self.close()
            raise

    def open(self, path: str | Path, ready: str) -> None:
        """Opens a file and waits until a JavaScript expression is true.

        Raises:
            BackbeatError: it never is.
        """
        path = Path(path)
        # In full quality, however long that takes.
        self._ask("Page.navigate", url=f"{path.resolve().as_uri()}#full")
        until = time.monotonic() + PATIENCE
        while not self.run(f"Boolean({ready})"):
            if time.monotonic() > until:
                raise BackbeatError("the browser does not show the recording")
            time.sleep(0.1)

    def run(self, script: str) -> Any:
        """Value of a JavaScript expression, or of its promise."""
        answer = self._ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"the page says {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def picture(self) -> bytes:
        """What is seen, as JPEG."""
        answer = self._ask("Page.captureScreenshot", format="jpeg", quality=95)
        return base64.b64decode(answer["data"])

    def close(self) -> None:
        """Ends the browser and deletes its files."""
        for pipe in (self._to, self._from):
            with contextlib.suppress(OSError):
                os.close(pipe)
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends a command and waits for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        gone = BackbeatError("the browser that should make the film has ended")
        try:
            _write(self._to, json.dumps(message).encode() + b"\0")
        except OSError:
            raise gone from None
        while True:
            text = self._read()
            if text is None:
                raise gone
            answer: dict[str, Any] = json.loads(text)
            # Events come in between, without a request.
            if answer.get("id") != self._number:
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            result: dict[str, Any] = answer["result"]
            return result

    def _read(self) -> bytes | None:
        """The next message; None when there will be none."""
        parts = [self._rest]
        while b"\0" not in parts[-1]:
            parts.append(os.read(self._from, 1 << 20))
            if not parts[-1]:
                return None
        text, _, self._rest = b"".join(parts).partition(b"\0")
        return text


def _write(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]


def _spawn(browser: str, profile: str) -> tuple[int, int, int]:
    """Process, and pipes to and from it."""
    its_input, to = os.pipe()
    source, its_output = os.pipe()
    # Out of the way of the numbers that they get in the browser.
    high = [
        fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 16) for fd in (its_input, its_output)
    ]
    arguments = [browser, *FLAGS, f"--user-data-dir={profile}"]
    if os.geteuid() == 0:
        # Chromium's sandbox does not work for root, as in a container.
        arguments.append("--no-sandbox")
    nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    pipes = [
        (os.POSIX_SPAWN_DUP2, fd, place)
        for fd, place in zip(high, (READS, WRITES), strict=True)
    ]
    try:
        process = os.posix_spawn(
            browser, arguments, dict(os.environ), file_actions=[*nowhere, *pipes]
        )
    finally:
        for fd in (its_input, its_output, *high):
            os.close(fd)
    return process, to, source
