"""What tests of every package share: behaviors, built once a test run."""

import fcntl
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from behaviors.behavior import Behavior
from behaviors.build import build
from behaviors.library import Library
from mpc.simulation.origin import has_compiled


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, bool, bool]:
    """Gives a test marked `same_bits` a second chance, if this process has compiled.

    What a process compiles may round otherwise than the same loaded from the cache, and
    the other process of such a test loads. By now all is in the cache, and a process
    of its own loads it too: there the test has to pass.
    """
    try:
        return (yield)
    except AssertionError:
        if pyfuncitem.get_closest_marker("same_bits") is None or not has_compiled():
            raise
    words = ["-m", "pytest", "-q", "-m", "same_bits", pyfuncitem.nodeid]
    again = subprocess.run(
        [sys.executable, *words],
        cwd=pyfuncitem.config.rootpath,
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0, again.stdout
    return True


@pytest.fixture(scope="session")
def library_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder of behaviors that all test processes of this run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "library"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def built(library_folder: Path) -> Callable[[str], Behavior]:
    """`built(name)` is the shipped behavior of that name, built when first asked."""
    behaviors: dict[str, Behavior] = {}

    def get(name: str) -> Behavior:
        if name not in behaviors:
            # Two processes that want the same behavior build it once.
            with (library_folder / f"{name}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                behaviors[name] = build(name, Library(library_folder))
        return behaviors[name]

    return get
