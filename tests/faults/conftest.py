"""Places that are full, or that nobody may write to, as the system makes them."""

import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.backbeat.conftest import backbeat, chromium, window
from tests.processes import COMMAND

__all__ = ["backbeat", "chromium", "window"]

# A command for which one folder is a small disk of its own. At the end it copies what
# is on it beside the folder.
FULL = """\
cp -a "$1" "$1.before" && mount -t tmpfs -o size="$2" none "$1" &&
cp -a "$1.before/." "$1" && folder=$1 && shift 2 || exit 99
"$@"; code=$?
cp -a "$folder" "$folder.after"; exit $code
"""
# A command for which one folder can only be read.
READ_ONLY = """\
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift || exit 99
exec "$@"
"""
# What takes from root that it may write anywhere.
POWERLESS = ("setpriv", "--bounding-set=-dac_override,-fowner", "--inh-caps=-all")


@contextmanager
def _small_files(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def small_files() -> Callable[[int], AbstractContextManager[None]]:
    """What to ask for a `with` block in which no file grows beyond so many bytes."""
    return _small_files


def _in_a_world(script: str, *arguments: object) -> tuple[str, ...]:
    """What to put before a command; skips the test where nobody may mount."""
    tried = ["unshare", "-rm", "mount", "--bind", "/tmp", "/tmp"]
    if shutil.which("unshare") is None or subprocess.run(tried, check=False).returncode:
        pytest.skip("this machine does not let us mount")
    return ("unshare", "-rm", "sh", "-c", script, "sh", *map(str, arguments), *COMMAND)


@pytest.fixture
def on_a_small_disk() -> Callable[[Path, str], tuple[str, ...]]:
    """`start(..., before=on_a_small_disk(folder, "100k"))`: the folder is that disk."""
    return lambda folder, size: _in_a_world(FULL, folder, size)


@pytest.fixture
def read_only() -> Callable[[Path], tuple[str, ...]]:
    """`start(..., before=read_only(folder))`: a disk that can only be read."""
    return lambda folder: _in_a_world(READ_ONLY, folder)


@pytest.fixture
def forbidden() -> Iterator[Callable[[Path], tuple[str, ...]]]:
    """`start(..., before=forbidden(folder))`: somebody who may not write there."""
    made = []

    def forbid(folder: Path) -> tuple[str, ...]:
        folder.chmod(0o555)
        made.append(folder)
        if os.geteuid() != 0:
            return COMMAND
        if shutil.which("setpriv") is None:
            pytest.skip("root may write anywhere, and there is no setpriv")
        return (*POWERLESS, *COMMAND)

    yield forbid
    for folder in made:
        folder.chmod(0o755)
