"""Environments that other tools run in: made on demand, apart from Backbeat's."""

import os
import platform
import subprocess
import sys
import venv
from pathlib import Path
from typing import Annotated

import typer

from backbeat.models.common.errors import BackbeatError

# Each with what it is called and how large its environment is; its folder here has
# the requirements.
TOOLS = {
    "crocoddyl": "Crocoddyl in {}: 1 GB",
    "tsid": "TSID in {}: 0.5 GB",
    "placo": "PlaCo in {}: 0.5 GB",
}
# Folder of what the benchmarks install; the user's cache without it.
CACHE_VARIABLE = "BACKBEAT_BENCHMARK_CACHE"


CacheFolder = Annotated[
    Path | None, typer.Option(help="Folder for the environments of other tools.")
]


def cache_folder() -> Path:
    """Where the environment goes when no option says so."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "backbeat"


def make_environment(cache: Path | None = None, tool: str = "crocoddyl") -> Path:
    """Path of a Python that has a tool; installs it where there is none.

    Args:
        cache: folder in which the environment is a folder named like the tool.
        tool: one of TOOLS.

    Raises:
        BackbeatError: it could not be installed.
    """
    folder = (cache or cache_folder()).resolve() / tool
    requirements = Path(__file__).parent / tool / "requirements.txt"
    python = folder / "bin" / "python"
    # Written last and with all that was asked for: an environment that is incomplete
    # or of another day does not have it.
    stamp = folder / "requirements.txt"
    wanted = f"# Python {platform.python_version()}\n{requirements.read_text()}"
    if python.exists() and stamp.is_file() and stamp.read_text() == wanted:
        return python
    if folder.exists() and not (folder / "pyvenv.cfg").is_file():
        raise BackbeatError(f"{folder} is no environment of ours; choose another cache")
    print(f"Installing {TOOLS[tool].format(folder)}.", file=sys.stderr)
    venv.EnvBuilder(clear=True, with_pip=True).create(folder)
    pip = [str(python), "-I", "-m", "pip", "install", "--quiet", "--no-input"]
    pip += ["--no-deps", "--disable-pip-version-check", "--only-binary", ":all:"]
    installed = subprocess.run(
        [*pip, "-r", str(requirements)], capture_output=True, text=True, check=False
    )
    if installed.returncode != 0:
        reason = installed.stderr.strip().splitlines()[-1:] or ["pip does not say why"]
        raise BackbeatError(f"{tool} could not be installed: {reason[0]}")
    stamp.write_text(wanted)
    return python
