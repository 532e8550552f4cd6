"""What tests of every package share: behaviors, built once a test run."""

import fcntl
import gc
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library

# A busy machine is no reason to fail.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
# No command of a test opens a window on a developer's desktop.
for _name in ("DISPLAY", "WAYLAND_DISPLAY"):
    os.environ.pop(_name, None)


def pytest_collection_finish() -> None:
    """What is imported by now stays: collecting garbage need not look at it again."""
    gc.collect()
    gc.freeze()


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
