"""An installation that is interrupted, and two at once, of a small project by make."""

import base64
import hashlib
import os
import shutil
import signal
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.processes import is_left_alone, start

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[2]
PROJECT = """\
[project]
name = "small"
version = "1.0"
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
# Makes the project's own wheel as soon as there is a file `go`.
BACKEND = """\
import pathlib, time, zipfile

def get_requires_for_build_editable(settings=None):
    return []

def build_editable(folder, settings=None, metadata=None):
    here = pathlib.Path(__file__).parent
    (here / "waits").touch()
    while not (here / "go").exists():
        time.sleep(0.05)
    name, about = "small-1.0-py3-none-any.whl", "small-1.0.dist-info"
    metadata = "Metadata-Version: 2.1\\nName: small\\nVersion: 1.0\\n"
    kind = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w") as wheel:
        wheel.writestr("small.pth", str(here))
        wheel.writestr(f"{about}/METADATA", metadata)
        wheel.writestr(f"{about}/WHEEL", kind)
        wheel.writestr(f"{about}/RECORD", "")
    return name
"""
# How long an installation of next to nothing may take, on a busy machine [s].
PATIENCE = 300.0


def write_wheel(folder):
    """A package that answers to `import pydrake.common`; returns its hash."""
    path, about = folder / "pydrake-1.0-py3-none-any.whl", "pydrake-1.0.dist-info"
    contents = {
        "pydrake/__init__.py": "",
        "pydrake/common.py": "",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: pydrake\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
    }
    record = ""
    for name, text in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
        record += f"{name},sha256={digest.decode().rstrip('=')},{len(text)}\n"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in contents.items():
            wheel.writestr(name, text)
        wheel.writestr(f"{about}/RECORD", f"{record}{about}/RECORD,,\n")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def project(tmp_path):
    """A folder with our Makefile and next to nothing to install."""
    folder = tmp_path / "project"
    folder.mkdir()
    shutil.copy(CHECKOUT / "Makefile", folder)
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "backend.py").write_text(BACKEND)
    digest = write_wheel(tmp_path)
    lock = f"pydrake==1.0 --hash=sha256:{digest}\n"
    (folder / "requirements.lock").write_text(lock)
    return folder


@pytest.fixture
def make(project, request):
    """`make()` starts `make environment` there."""

    def begin():
        settings = {"MAKEFLAGS": "", "MAKELEVEL": "0", "PIP_NO_INDEX": "1"}
        settings |= {"PIP_FIND_LINKS": str(project.parent), "PYTHONUNBUFFERED": "1"}
        words = ["make", "-C", project, "environment", f"PYTHON={sys.executable}"]
        log = (project.parent / f"{time.time_ns()}.log").open("w+")
        process = start(before=words, environment=settings, stdout=log, stderr=log)
        request.addfinalizer(log.close)
        request.addfinalizer(process.communicate)
        request.addfinalizer(process.kill)
        return process, log

    return begin


def said(log):
    """What a make has printed."""
    log.seek(0)
    return log.read()


def wait_for(condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def is_whole(project):
    """Whether the environment has everything, the stamp too."""
    place = project / ".venv"
    stamp = place / ".ready"
    return stamp.exists() and list(place.glob("lib/*/site-packages/small.pth")) != []


@pytest.mark.parametrize("moment", ["venv", "packages", "project"])
def test_an_interrupted_installation_is_made_anew(project, make, moment):
    """All of it is killed while the environment, packages or the project go in."""
    sign = {
        "venv": project / ".venv" / "pyvenv.cfg",
        "packages": project / ".venv" / "bin" / "pip",
        "project": project / "waits",
    }[moment]
    first, _ = make()
    wait_for(sign.exists)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    assert is_left_alone(first)
    assert not (project / ".venv" / ".ready").exists()
    (project / "go").touch()
    second, log = make()
    assert second.wait(PATIENCE) == 0, said(log)
    assert "Making the environment" in said(log)
    assert is_whole(project)
    third, log = make()
    assert third.wait(PATIENCE) == 0
    assert "Making" not in said(log)


def test_what_a_killed_make_has_started_is_waited_for(project, make):
    """Only make is killed. What it started goes on, and nobody comes in its way."""
    first, _ = make()
    wait_for((project / "waits").exists)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    second, log = make()
    wait_for(lambda: "waiting until it is done" in said(log))
    assert second.poll() is None
    (project / "go").touch()
    assert second.wait(PATIENCE) == 0, said(log)
    assert is_whole(project)


def test_two_installations_at_once_are_one(project, make):
    first, first_log = make()
    wait_for((project / "waits").exists)
    second, second_log = make()
    wait_for(lambda: "waiting until it is done" in said(second_log))
    (project / "go").touch()
    assert first.wait(PATIENCE) == 0, said(first_log)
    assert second.wait(PATIENCE) == 0, said(second_log)
    assert "Making" not in said(second_log)
    assert is_whole(project)
