"""The environment that Crocoddyl runs in: made on demand, apart from Backbeat's."""

import os
import platform
import subprocess
import sys
import venv
from pathlib import Path

from models.errors import BackbeatError

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
# Folder of what the benchmarks install; the user's cache without it.
CACHE_VARIABLE = "BACKBEAT_BENCHMARK_CACHE"


def cache_folder() -> Path:
    """Where the environment goes when no option says so."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "backbeat"


def make_environment(cache: Path | None = None) -> Path:
    """Path of a Python that has Crocoddyl; installs it where there is none.

    Args:
        cache: folder in which the environment is a folder named crocoddyl.

    Raises:
        BackbeatError: it could not be installed.
    """
    folder = (cache or cache_folder()).resolve() / "crocoddyl"
    python = folder / "bin" / "python"
    # Written last and with all that was asked for: an environment that is incomplete
    # or of another day does not have it.
    stamp = folder / "requirements.txt"
    wanted = f"# Python {platform.python_version()}\n{REQUIREMENTS.read_text()}"
    if python.exists() and stamp.is_file() and stamp.read_text() == wanted:
        return python
    if folder.exists() and not (folder / "pyvenv.cfg").is_file():
        raise BackbeatError(f"{folder} is no environment of ours; choose another cache")
    print(f"Installing Crocoddyl in {folder}: 1 GB.", file=sys.stderr)
    venv.EnvBuilder(clear=True, with_pip=True).create(folder)
    pip = [python, "-I", "-m", "pip", "install", "--quiet", "--no-input", "--no-deps"]
    pip += ["--disable-pip-version-check", "--only-binary", ":all:"]
    installed = subprocess.run(
        [*pip, "-r", REQUIREMENTS], capture_output=True, text=True, check=False
    )
    if installed.returncode != 0:
        reason = installed.stderr.strip().splitlines()[-1:] or ["pip does not say why"]
        raise BackbeatError(f"Crocoddyl could not be installed: {reason[0]}")
    stamp.write_text(wanted)
    return python
