"""Scripts, notebooks, tests and the command line share one folder of compiled code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from models import compiled_folder as folders

CHECKOUT = Path(__file__).parents[2]
# Where a compiled function of one module is kept, with numba imported before or not.
SCRIPT = """
import importlib, sys
if "numba first" in sys.argv:
    import numba
module = importlib.import_module(sys.argv[1])
print(getattr(module, sys.argv[2])._cache.cache_path)
"""


@pytest.fixture
def python(tmp_path):
    """`python(argument, ...)` is what a fresh process prints, with no setting made."""
    kept = {k: v for k, v in os.environ.items() if k != folders.SETTING}

    def run(*arguments, **changed):
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env=kept | {"PYTHONPATH": str(CHECKOUT)} | changed,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    return run


def folder_of_the_command_line(python, **changed):
    printed = python("-m", "backbeat.cli.main", "doctor", "--json", **changed)
    findings = {f["name"]: f for f in json.loads(printed)["findings"]}
    return Path(findings["numba cache"]["found"])


@pytest.mark.parametrize("order", ["ours first", "numba first"])
@pytest.mark.parametrize(
    ("module", "function"),
    [
        ("models.rotations", "quaternion_to_matrix"),
        ("optimization.qp", "_guess"),
        ("mpc.swing_offset", "find_offset"),
    ],
)
def test_a_script_uses_the_folder_of_the_command_line(python, order, module, function):
    cache = Path(python("-c", SCRIPT, module, function, order))
    assert folder_of_the_command_line(python) in cache.parents
    assert CHECKOUT not in cache.parents


def test_a_folder_that_is_named_is_used_by_all(python, tmp_path):
    named = {folders.SETTING: str(tmp_path / "named")}
    cache = python("-c", SCRIPT, "models.rotations", "quaternion_to_matrix", **named)
    assert folder_of_the_command_line(python, **named) == tmp_path / "named"
    assert tmp_path / "named" in Path(cache).parents


@pytest.fixture
def nothing_named(monkeypatch, tmp_path):
    """No folder is named, and the person's own cache is in `tmp_path`."""
    monkeypatch.delenv(folders.SETTING, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(folders.sys, "prefix", str(tmp_path))
    return tmp_path / "cache" / "backbeat" / "numba"


def test_an_environment_keeps_its_compiled_code(nothing_named, tmp_path):
    assert folders.compiled_folder() == tmp_path / "numba-cache"


def test_without_an_environment_a_person_keeps_it(nothing_named, monkeypatch):
    monkeypatch.setattr(folders.sys, "base_prefix", sys.prefix)
    assert folders.compiled_folder() == nothing_named


def test_an_environment_that_cannot_be_written_is_left_alone(
    nothing_named, monkeypatch
):
    monkeypatch.setattr(folders.sys, "prefix", "/gone/environment")
    assert folders.compiled_folder() == nothing_named
