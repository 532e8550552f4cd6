"""`python -m benchmarks.web`: a show and a controller that strangers attack.

The commands themselves run, `backbeat play` and `backbeat serve`, each in a process of
its own, and beside the stranger there is somebody who uses them as they are meant.
"""

import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.cli.common.options import LIBRARY, LibraryFolder
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.remote.address import Address
from backbeat.mpc.remote.contents import ControlSettings
from backbeat.mpc.remote.exchange import Answer
from backbeat.mpc.remote.link import RemoteLink
from backbeat.mpc.scenario.specification import Scenario
from benchmarks.measurement import markdown, write_results
from benchmarks.web_attacks import ATTACKS, HOST, TO_CONTROLLERS, Stranger

# What is shown moves; what is controlled does not have to.
SHOWN, CONTROLLED = "step-touch", "stand"
SHOW, CONTROLLER = "play", "serve"
# What whoever uses them does before and after an attack [s], and how often ticks are
# asked for; a stranger's rest after a round.
QUIET, TICK, REST = 3.0, 0.02, 0.2
# What a browser says when it is asked whether it is there.
PONG = b"\x8a\x80\0\0\0\0"
# What each may grow by over an attack [MB], and how long nothing may come [s].
GROWTH, SILENCE = 30.0, 5.0


@dataclass
class WebRow:
    """One attack on one server.

    Attributes:
        server, attack: which.
        seconds: how long it was attacked.
        attacks: connections that the stranger made.
        is_alive: whether it runs after that, and answers.
        served: pieces of the drawing that came, or ticks that were answered.
        states: answers to what the page asks for besides.
        silence: longest that nothing came [s].
        memory: of the process before and after [MB].
        cut: how often whoever uses it was cut off, or not let in.
    """

    server: str
    attack: str
    seconds: float
    attacks: int = 0
    is_alive: bool = False
    served: int = 0
    states: int = 0
    silence: float = 0.0
    memory: tuple[float, float] = (0.0, 0.0)
    cut: int = 0

    @property
    def is_met(self) -> bool:
        """Whether the show went on."""
        grown = self.memory[1] - self.memory[0]
        return self.is_alive and self.silence < SILENCE and grown < GROWTH


@dataclass
class _Use:
    """What came to somebody who uses a server, from another thread."""

    served: int = 0
    states: int = 0
    cut: int = 0
    silence: float = 0.0
    heard: float = field(default_factory=time.monotonic)

    def note(self) -> None:
        """Something came."""
        now = time.monotonic()
        self.silence = max(self.silence, now - self.heard)
        self.heard, self.served = now, self.served + 1


@contextmanager
def _command(*words: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A command of ours that runs, and the port that it says it has."""
    with subprocess.Popen(
        [sys.executable, "-m", "backbeat.cli.main", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if found := re.search(rf"{HOST}:(\d+)", line):
                    # Whatever else it says is read, or it would wait for that.
                    rest = (process.stdout,)
                    threading.Thread(target=list, args=rest, daemon=True).start()
                    yield process, int(found[1])
                    return
            raise BackbeatError(f"{' '.join(words)} ended with {process.wait()}")
        finally:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(20.0)
            process.kill()


def _memory(process: subprocess.Popen[str]) -> float:
    """What a process has of the memory [MB]; 0 if it has ended."""
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        line = next(line for line in lines if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024
    return 0.0


def _page(port: int, path: str) -> str:
    """What the page's server says; "" if nothing."""
    own = HTTPConnection(HOST, port, timeout=5.0)
    try:
        own.request("GET", path)
        return own.getresponse().read().decode()
    except (OSError, HTTPException):
        return ""
    finally:
        own.close()


def _token(port: int) -> str:
    """What the page says to be shown the drawing."""
    found = re.search(r"/drawing\?([\w-]+)", _page(port, "/"))
    return found[1] if found else ""


def _watch(port: int, token: str, use: _Use, stop: threading.Event) -> None:
    """Looks at a show as a page does; comes again if it is cut off."""
    stranger, asked = Stranger(port, token), time.monotonic()
    while not stop.is_set():
        with suppress(OSError), socket.create_connection((HOST, port), 5.0) as own:
            own.sendall(stranger.greeting())
            while not stop.is_set() and own.recv(1 << 16):
                use.note()
                # A browser answers pings; Meshcat gives up who says nothing.
                if time.monotonic() - asked > 10.0:
                    own.sendall(PONG)
                    asked = time.monotonic()
        if not stop.is_set():
            use.cut += 1
            time.sleep(0.1)


def _follow(port: int, use: _Use, stop: threading.Event) -> None:
    """Asks for the state as a page does, on a connection that it keeps."""
    own = HTTPConnection(HOST, port, timeout=5.0)
    while not stop.is_set():
        try:
            own.request("GET", "/state")
            use.states += bool(own.getresponse().read())
        except (OSError, HTTPException):
            own.close()
        time.sleep(0.2)
    own.close()


def _ask(
    link: RemoteLink, reference: Reference, use: _Use, stop: threading.Event
) -> None:
    """Asks a controller as a simulation does."""
    robot, table = reference.robot, reference.table
    x, force = np.r_[table.q[0], table.v[0]], np.full(len(robot.soles), 800.0)
    asked, k = ControlSettings(PlanSettings(), (), 0.0), 0
    while not stop.is_set():
        found = link.ask(k, 0.002 * k, k == 0, x, force, asked, np.zeros(0))
        if isinstance(found, Answer):
            use.note()
        else:
            use.cut += 1
        k += 1
        time.sleep(TICK)


@contextmanager
def _used(server: str, port: int, library: Path) -> Iterator[tuple[_Use, str]]:
    """Somebody who uses a server as it is meant, and the token of the page."""
    use, stop, token = _Use(), threading.Event(), ""
    link: RemoteLink | None = None
    threads: list[threading.Thread] = []
    if server == SHOW:
        token = _token(port)
        arguments: tuple[object, ...] = (port, token, use, stop)
        threads.append(threading.Thread(target=_watch, args=arguments))
        threads.append(threading.Thread(target=_follow, args=(port, use, stop)))
    else:
        behavior = Library(library).load(CONTROLLED)
        link = RemoteLink(
            Address(port=port), behavior, Scenario.of(behavior=CONTROLLED)
        )
        link.open()
        arguments = (link, Reference(behavior), use, stop)
        threads.append(threading.Thread(target=_ask, args=arguments))
    for thread in threads:
        thread.start()
    try:
        yield use, token
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        if link is not None:
            link.close()


def attack(server: str, name: str, seconds: float, library: Path) -> WebRow:
    """Attacks a server in one way for so long.

    Args:
        server: "play" or "serve".
        name: of `ATTACKS`.
        seconds: how long.
        library: has the behaviors.
    """
    row = WebRow(server, name, seconds)
    words = ["play", SHOWN, "--loop"] if server == SHOW else ["serve", CONTROLLED]
    words += ["--library", str(library)]
    with _command(*words) as (process, port), _used(server, port, library) as (use, t):
        _wait_until_used(use)
        before = _memory(process)
        use.served, use.states, use.cut = 0, 0, 0
        use.silence, use.heard = 0.0, time.monotonic()
        stranger, until = Stranger(port, t), time.monotonic() + seconds
        while time.monotonic() < until:
            ATTACKS[name](stranger)
            time.sleep(REST)
        stranger.close()
        row.served, row.cut, row.attacks = use.served, use.cut, stranger.sent
        row.states = use.states
        # What still waits is let in, and what was held for strangers is let go.
        time.sleep(QUIET)
        row.silence = max(use.silence, time.monotonic() - use.heard)
        row.memory = before, _memory(process)
        row.is_alive = process.poll() is None and use.served > row.served
    return row


def _wait_until_used(use: _Use) -> None:
    """Lets a server warm up.

    Raises:
        BackbeatError: nothing comes.
    """
    until = time.monotonic() + 120.0
    while not use.served and time.monotonic() < until:
        time.sleep(0.1)
    if not use.served:
        raise BackbeatError("what is attacked does not serve")
    time.sleep(QUIET)


def main(
    seconds: Annotated[float, typer.Option(help="Length of each attack.")] = 600.0,
    only: Annotated[
        str, typer.Option(help='One attack, such as "play, garbage".')
    ] = "",
    library: LibraryFolder = LIBRARY,
    out: Annotated[Path, typer.Option("--json", help="Where the numbers go.")] = Path(
        "out/web.json"
    ),
) -> None:
    """Attacks a show and a controller in every way, one after the other."""
    cases = [(SHOW, name) for name in ATTACKS]
    cases += [(CONTROLLER, name) for name in TO_CONTROLLERS]
    if only:
        chosen = [case for case in cases if ", ".join(case) == only]
        if not chosen:
            raise SystemExit(f"benchmarks: {only!r} is none of {cases}")
        cases = chosen
    for name in (SHOWN, CONTROLLED):
        build(name, Library(library))
    rows = [attack(server, name, seconds, library) for server, name in cases]
    print_table(rows)
    told = [asdict(row) | {"is_met": row.is_met} for row in rows]
    write_results(out, rows=told)


def print_table(rows: list[WebRow]) -> None:
    """Prints what came of the attacks."""
    heads = ["server", "attack", "goes on", "minutes", "connections", "served"]
    heads += ["states", "longest silence [s]", "cut off", "memory [MB]"]
    cells = [
        [
            row.server,
            row.attack,
            "yes" if row.is_met else "NO",
            f"{row.seconds / 60:.3g}",
            f"{row.attacks}",
            f"{row.served}",
            f"{row.states}",
            f"{row.silence:.2f}",
            f"{row.cut}",
            f"{row.memory[0]:.0f} to {row.memory[1]:.0f}",
        ]
        for row in rows
    ]
    print(markdown(heads, cells, 3))


if __name__ == "__main__":
    typer.run(main)
