"""``backbeat doctor``: what this machine has, what it lacks and how to get it."""

import ctypes
import importlib.metadata
import json
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from backbeat.models.common.errors import BackbeatError
from backbeat.models.compiled.build import SHIPPED, compilers, kept_in
from backbeat.models.mjcf.package import INSTALL, mujoco_version
from backbeat.stage.recording.browser import find_chromium

PYTHON_OLDEST, PYTHON_NEWEST = (3, 11), (3, 14)
GLIBC_OLDEST = (2, 34)
FREE_DISK = 1.0  # [GB] for a library, recordings and runs
MESHCAT_PORTS = range(7000, 8000)  # the ports that Drake's Meshcat tries, in order
INSTALL_AGAIN = "make the environment again: make clean demo"


@dataclass(frozen=True)
class MachineFinding:
    """One line of the report.

    Attributes:
        name: what was looked for.
        ok: it is there and good enough.
        found: what there is, in words.
        remedy: what to do about it; empty when `ok`.
        required: without it Backbeat does not run; otherwise a feature is lost.
    """

    name: str
    ok: bool
    found: str
    remedy: str
    required: bool = True


def finding(
    name: str, ok: bool, found: str, remedy: str, *, required: bool = True
) -> MachineFinding:
    """A `MachineFinding` that keeps its remedy only when something is missing."""
    return MachineFinding(name, ok, found, "" if ok else remedy, required)


def examine() -> Iterator[MachineFinding]:
    """Looks at this machine, one finding after the other."""
    yield python_version()
    yield architecture()
    yield glibc()
    yield from libraries()
    yield glib()
    yield drake_import()
    yield cpp_compiler()
    yield compiled_code()
    yield free_disk(Path.cwd())
    yield meshcat_port()
    yield libegl()
    yield mujoco()
    yield chromium()
    yield ffmpeg()


def python_version() -> MachineFinding:
    """Python itself."""
    return finding(
        "Python",
        PYTHON_OLDEST <= sys.version_info[:2] <= PYTHON_NEWEST,
        platform.python_version(),
        "use Python 3.11 to 3.14, for instance: make PYTHON=python3.12 demo",
    )


def architecture() -> MachineFinding:
    """The kind of processor and system that the wheels are made for."""
    system, machine = platform.system(), platform.machine()
    return finding(
        "architecture",
        (system, machine) == ("Linux", "x86_64"),
        f"{system} {machine}",
        "use Linux on an x86_64 processor: Drake's wheels are made for it",
    )


def glibc() -> MachineFinding:
    """The C library, which decides which wheels fit."""
    name, version = platform.libc_ver()
    number = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    return finding(
        "glibc",
        name == "glibc" and number >= GLIBC_OLDEST,
        f"{name} {version}".strip() or "none",
        "use a newer system: Debian 12, Ubuntu 22.04 or later have glibc 2.34",
    )


def libraries() -> Iterator[MachineFinding]:
    """The runtime libraries, as the installed package itself names them."""
    try:
        requirements = importlib.metadata.requires("backbeat") or []
    except importlib.metadata.PackageNotFoundError:
        yield finding("backbeat", False, "not installed", INSTALL_AGAIN)
        return
    # A dependency of matplotlib, so it may be missing where something is broken.
    from packaging.requirements import Requirement

    for requirement in map(Requirement, requirements):
        if requirement.marker is not None and not requirement.marker.evaluate():
            # Of an extra, which is optional.
            continue
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            yield finding(requirement.name, False, "not installed", INSTALL_AGAIN)
            continue
        yield finding(
            requirement.name,
            requirement.specifier.contains(version, prereleases=True),
            version,
            f"{requirement} is needed; {INSTALL_AGAIN}",
        )


def glib() -> MachineFinding:
    """The one system library that Drake's wheel does not bring."""
    name = "libglib-2.0.so.0"
    try:
        ctypes.CDLL(name)
    except OSError:
        return finding("libglib", False, "missing", "apt install libglib2.0-0")
    return finding("libglib", True, name, "")


def libegl() -> MachineFinding:
    """What Drake renders pictures with, on machines without a display too."""
    name = "libEGL.so.1"
    try:
        ctypes.CDLL(name)
    except OSError:
        remedy = "for pictures of the robot: apt install libegl1 libgl1-mesa-dri"
        return finding("libEGL", False, "missing", remedy, required=False)
    return finding("libEGL", True, name, "", required=False)


def drake_import() -> MachineFinding:
    """Drake's native code, tried in another process: a crash is an answer too."""
    trial = subprocess.run(
        [sys.executable, "-c", "import pydrake.common"],
        capture_output=True,
        text=True,
        check=False,
    )
    if trial.returncode == 0:
        return finding("Drake loads", True, "yes", "")
    lines = trial.stderr.strip().splitlines() or [f"exit code {trial.returncode}"]
    remedy = INSTALL_AGAIN
    if "libglib" in trial.stderr:
        remedy = "apt install libglib2.0-0"
    return finding("Drake loads", False, lines[-1], remedy)


def cpp_compiler() -> MachineFinding:
    """What compiles the numerical code of a checkout; a wheel brings it compiled."""
    found = [" ".join(command) for command in compilers()]
    return finding(
        "C++ compiler",
        bool(found) or SHIPPED.exists(),
        found[0] if found else "none",
        "apt install g++, or pip install ziglang",
    )


def compiled_code() -> MachineFinding:
    """Where compiled functions are kept; without it each start compiles anew."""
    places = kept_in()
    folder = next((p for p in places if is_writable(p)), places[0]).absolute()
    return finding(
        "compiled code",
        is_writable(folder) or SHIPPED.exists(),
        str(folder),
        "set BACKBEAT_COMPILED to a folder that you may write to",
    )


def is_writable(folder: Path) -> bool:
    """Whether a file can be made in `folder`, which need not exist yet."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def free_disk(folder: Path) -> MachineFinding:
    """Room for what Backbeat writes."""
    free = shutil.disk_usage(folder).free / 1e9
    return finding(
        "free disk",
        free >= FREE_DISK,
        f"{free:.1f} GB in {folder}",
        f"free {FREE_DISK:.0f} GB, or start in a folder on another disk",
    )


def meshcat_port() -> MachineFinding:
    """A port on this machine for Meshcat, which also makes the recordings."""
    for port in MESHCAT_PORTS:
        with socket.socket() as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                server.bind(("127.0.0.1", port))
            except OSError:
                continue
            return finding("Meshcat port", True, f"127.0.0.1:{port}", "")
    first, last = MESHCAT_PORTS[0], MESHCAT_PORTS[-1]
    return finding(
        "Meshcat port",
        False,
        f"none of {first} to {last} is free on 127.0.0.1",
        "end other Meshcat servers, or allow this program to listen on 127.0.0.1",
    )


def mujoco() -> MachineFinding:
    """The second engine."""
    try:
        found, ok = mujoco_version(), True
    except BackbeatError:
        found, ok = "missing or too old: nothing is simulated by engine mujoco", False
    return finding("MuJoCo", ok, found, INSTALL, required=False)


def chromium() -> MachineFinding:
    """The browser that the browser checks drive."""
    path = find_chromium()
    return finding(
        "Chromium",
        path is not None,
        path or "missing: the browser checks are skipped",
        "apt install chromium",
        required=False,
    )


def ffmpeg() -> MachineFinding:
    """The program that makes films."""
    path = shutil.which("ffmpeg")
    return finding(
        "ffmpeg",
        path is not None,
        path or "missing: no films, recordings are HTML all the same",
        "apt install ffmpeg",
        required=False,
    )


def print_table(findings: list[MachineFinding]) -> None:
    """Prints the findings for a person."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from backbeat.cli.common.console import Screen

    table = Table("", "", box=box.SIMPLE_HEAD)
    for column in ("found", "remedy"):
        table.add_column(column, overflow="fold")
    for line in findings:
        mark, style = ("ok", "green") if line.ok else ("lacks", "red")
        if not line.ok and not line.required:
            mark, style = "optional", "yellow"
        table.add_row(
            Text(mark, style), Text(line.name), Text(line.found), Text(line.remedy)
        )
    console = Screen()
    console.print(table)
    lacking = [line.name for line in findings if line.required and not line.ok]
    if lacking:
        console.print(Text(f"Not ready: see {', '.join(lacking)} above.", "red"))
    else:
        console.print(Text("Ready.", "green"))


def command(
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object instead of a table.")
    ] = False,
) -> None:
    """Examines this machine; exit code 1 when something required is missing."""
    findings = list(examine())
    ready = all(line.ok for line in findings if line.required)
    if as_json:
        report = {"ready": ready, "findings": [asdict(line) for line in findings]}
        typer.echo(json.dumps(report, indent=2))
    else:
        print_table(findings)
    raise typer.Exit(0 if ready else 1)
