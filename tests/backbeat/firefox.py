"""Debian's Firefox on a display of its own, driven by its Marionette protocol."""

import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

# Its WebGL needs a display, where a processor draws.
NEEDED = ("firefox-esr", "Xvfb")
PREFERENCES = {
    "webgl.force-enabled": True,
    "webgl.out-of-process": False,
    "widget.dmabuf.enabled": False,
    "gfx.x11-egl.force-enabled": True,
    "layers.acceleration.force-enabled": True,
    "media.autoplay.default": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
}


class Firefox:
    """A window of Firefox; whatever goes wrong in its page is in `errors`."""

    def __init__(self, folder: Path, width: int, height: int) -> None:
        """Starts it, with its profile in a folder."""
        self._open = contextlib.ExitStack()
        self._count, self._profile = 0, folder / "profile"
        self._profile.mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        chosen = PREFERENCES | {"marionette.port": port}
        lines = [
            f"user_pref({json.dumps(k)}, {json.dumps(chosen[k])});" for k in chosen
        ]
        (self._profile / "user.js").write_text("\n".join(lines))
        try:
            self._start(width, height)
            self._socket = self._connected(port)
            self._stream = self._open.enter_context(self._socket.makefile("rb"))
            self._told()
            self.ask("WebDriver:NewSession", capabilities={"alwaysMatch": {}})
            self.ask("WebDriver:SetTimeouts", pageLoad=120_000, script=120_000)
            self.ask("WebDriver:SetWindowRect", width=width, height=height)
        except BaseException:
            self.close()
            raise

    def _start(self, width: int, height: int) -> None:
        read, write = os.pipe()
        screen = ["-screen", "0", f"{width}x{height + 100}x24"]
        self._run(["Xvfb", "-displayfd", str(write), *screen], pass_fds=(write,))
        os.close(write)
        with os.fdopen(read) as told:
            display = f":{told.readline().strip()}"
        command = ["firefox-esr", "--marionette", "--no-remote", "--profile"]
        self._run([*command, str(self._profile)], env=os.environ | {"DISPLAY": display})

    def _run(self, command: list[str], **options: Any) -> None:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, **quiet, **options)

        def end() -> None:
            process.terminate()
            process.wait(30)

        self._open.callback(end)

    def _connected(self, port: int) -> socket.socket:
        for _ in range(120):
            with contextlib.suppress(OSError):
                found = socket.create_connection(("127.0.0.1", port), 180)
                return self._open.enter_context(found)
            time.sleep(0.5)
        raise AssertionError("Firefox does not listen")

    def _told(self) -> Any:
        size = b""
        while not size.endswith(b":"):
            size += self._stream.read(1)
        return json.loads(self._stream.read(int(size[:-1])))

    def ask(self, what: str, **values: Any) -> Any:
        """The answer to a command of WebDriver."""
        self._count += 1
        text = json.dumps([0, self._count, what, values]).encode()
        self._socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, found = self._told()
        if error:
            raise AssertionError(f"{what}: {error['message']}")
        return found

    def open(self, url: str) -> None:
        """Goes to a page."""
        self.ask("WebDriver:Navigate", url=url)

    def run(self, script: str) -> Any:
        """Evaluates JavaScript."""
        told = {"script": f"return {script}", "args": [], "sandbox": None}
        return self.ask("WebDriver:ExecuteScript", **told)["value"]

    def wait_for(self, condition: str, seconds: float = 120.0) -> None:
        """Waits until a JavaScript expression is true."""
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < end, f"it never came: {condition}"
            time.sleep(0.2)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drags with the mouse, as a hand does, on the way too."""
        points = [
            tuple(round(a + s * (b - a)) for a, b in zip(start, end, strict=True))
            for s in (0.0, 0.3, 0.7, 1.0)
        ]
        moves = [
            {"type": "pointerMove", "x": x, "y": y, "duration": 50} for x, y in points
        ]
        moves.insert(1, {"type": "pointerDown", "button": 0})
        moves.append({"type": "pointerUp", "button": 0})
        mouse = {"type": "pointer", "id": "mouse", "actions": moves}
        mouse["parameters"] = {"pointerType": "mouse"}
        self.ask("WebDriver:PerformActions", actions=[mouse])

    def screenshot(self) -> bytes:
        """A PNG of what is seen."""
        found = self.ask("WebDriver:TakeScreenshot", full=False)["value"]
        return base64.b64decode(found)

    def close(self) -> None:
        """Ends it and its display."""
        self._open.close()


def missing() -> str:
    """What has to be installed first; "" if all is there."""
    lacks = [name for name in NEEDED if shutil.which(name) is None]
    return f"no {' and no '.join(lacks)}: apt install firefox-esr xvfb" if lacks else ""
