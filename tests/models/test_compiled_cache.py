"""Numba's cache when processes share it, die over it, or cannot write it."""

import json
import os
import resource
import subprocess
import sys
import time

import pytest

HALVING = """\
import numba as nb

TWO = 2

@nb.njit(cache=True)
def half(x):
    return x / TWO
"""
MODULE = """\
import numba as nb
import halving
from halving import half

@nb.njit(cache=True)
def double(x):
    return half(x[0]) * 4

@nb.njit(cache=True)
def through_the_module(x):
    return halving.half(x[0]) + halving.TWO
"""
SHAPES = """\
from typing import NamedTuple

class Pair(NamedTuple):
    first: float
    second: float
"""
PAIRING = """\
import numba as nb
import shapes

@nb.njit(cache=True)
def first_of(pair):
    return pair.first

def first(x):
    return first_of(KIND(first=x[0], second=0.5))

# Whatever its name is.
KIND = next(kind for kind in vars(shapes).values() if hasattr(kind, "_fields"))
first.stats = first_of.stats
"""
# Waits before it writes a file of `double`'s entry, so that others get between the
# files, or ends for good after it.
PROCESS = """\
import json, os, sys, time
from pathlib import Path
import numpy as np
from numba.core.caching import IndexDataCacheFile

def slowed(write):
    def slow(cache, *content):
        about_double = "double" in cache._index_path
        time.sleep(about_double * waits.get(write.__name__, 0))
        write(cache, *content)
        if about_double and write.__name__ == slain:
            os._exit(9)
    return slow

argument, ready, waits, slain, called = json.loads(sys.argv[1])
for name in ("_save_index", "_save_data"):
    setattr(IndexDataCacheFile, name, slowed(getattr(IndexDataCacheFile, name)))
if "LEFT_ALONE" not in os.environ:
    from models.compiled_cache import guard_compiled_cache
    guard_compiled_cache()
import doubling, pairing
Path(ready).touch()
while len(list(Path(ready).parent.glob("*.ready"))) < int(Path(ready).stem[0]):
    time.sleep(0.001)
function = getattr(pairing if called == "first" else doubling, called)
value = function(np.array([argument]))
print(json.dumps([value, sum(function.stats.cache_misses.values())]))
"""


@pytest.fixture
def start(tmp_path):
    """`start(argument, ...)` starts a process that doubles its argument, cold."""
    (tmp_path / "doubling.py").write_text(MODULE)
    (tmp_path / "halving.py").write_text(HALVING)
    (tmp_path / "shapes.py").write_text(SHAPES)
    (tmp_path / "pairing.py").write_text(PAIRING)
    path = [str(tmp_path), *sys.path]
    env = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        # Python takes its own compiled files for new within a second, and may cut
        # them off where a disk is full.
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(path),
    }

    def begin(
        argument, of=1, waits=None, slain="", called="double", limit=None, **changed
    ):
        ready = str(tmp_path / f"{of}-{argument}-{waits}.ready")
        setting = json.dumps([argument, ready, waits or {}, slain, called])
        return subprocess.Popen(
            [sys.executable, "-c", PROCESS, setting],
            env=env | changed,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit,
        )

    return begin


def answer(process):
    """Value and number of compilations, of a process that has nothing to remark."""
    found, remarks = everything(process)
    assert not remarks
    return found


def everything(process):
    """Value and number of compilations, and what it remarked."""
    out, remarks = process.communicate(timeout=60)
    assert process.returncode == 0, remarks
    return tuple(json.loads(out)), remarks


def test_processes_that_start_together_compile_once(start):
    processes = [start(3, of=2, waits={"_save_index": w}) for w in (0.3, 0.4)]
    answers = [answer(p) for p in processes]
    assert sorted(answers) == [(6.0, 0), (6.0, 1)]


def test_different_arguments_at_the_same_time_do_not_mix(start):
    integer = start(3, of=2, waits={"_save_index": 0.8})
    number = start(3.0, of=2, waits={"_save_index": 0.4, "_save_data": 0.8})
    assert answer(integer) == answer(number) == (6.0, 1)
    # Left alone, numba has the code for floats in the entry for integers by now.
    assert answer(start(3)) == (6.0, 0)
    assert answer(start(3.0)) == (6.0, 0)


@pytest.mark.parametrize("last", ["_save_index", "_save_data"])
def test_a_process_that_is_killed_leaves_no_old_code(start, tmp_path, last):
    assert answer(start(3)) == (6.0, 1)
    time.sleep(0.01)
    (tmp_path / "doubling.py").write_text(MODULE.replace("* 4", "* 6 "))
    killed = start(3, slain=last)
    killed.communicate(timeout=60)
    assert killed.returncode == 9
    value, _ = answer(start(3))
    assert value == 9.0


@pytest.mark.parametrize(
    ("called", "old", "new", "before", "value"),
    [
        ("double", "x / TWO", "x / TWO + 1", 6.0, 10.0),
        ("through_the_module", "TWO = 2", "TWO = 6", 3.5, 6.5),
    ],
)
def test_what_a_function_calls_in_another_file_is_never_old(
    start, tmp_path, called, old, new, before, value
):
    assert answer(start(3, called=called)) == (before, 1)
    (tmp_path / "halving.py").write_text(HALVING.replace(old, new))
    assert answer(start(3, called=called)) == (value, 1)


def test_fields_of_a_named_tuple_in_another_file_are_never_old(start, tmp_path):
    assert answer(start(3.0, called="first")) == (3.0, 1)
    assert answer(start(3.0, called="first")) == (3.0, 0)
    fields = "    first: float\n", "    second: float\n"
    turned = SHAPES.replace("".join(fields), "".join(reversed(fields)))
    (tmp_path / "shapes.py").write_text(turned)
    assert answer(start(3.0, called="first")) == (3.0, 1)


def test_a_type_that_has_moved_is_compiled_for_again(start, tmp_path):
    assert answer(start(3.0, called="first")) == (3.0, 1)
    (tmp_path / "shapes.py").write_text(SHAPES.replace("Pair", "Couple"))
    assert answer(start(3.0, called="first")) == (3.0, 1)


def test_numba_left_alone_and_ours_do_not_mix(start):
    """As when older versions of the program have the same folder."""
    for alone in ({}, {"LEFT_ALONE": "1"}, {}):
        assert answer(start(3, **alone)) == (6.0, 1)


def cut(content):
    return content[: len(content) // 2]


def flipped(content):
    at = len(content) // 2
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


@pytest.mark.parametrize(("kind", "damage"), [("nbi", cut), ("nbc", flipped)])
def test_damaged_files_are_made_again(start, tmp_path, kind, damage):
    """One flipped bit of machine code would be another number, or the end."""
    assert answer(start(3)) == (6.0, 1)
    files = list((tmp_path / "cache").rglob(f"*.double*.{kind}"))
    assert files
    for path in files:
        path.write_bytes(damage(path.read_bytes()))
    assert answer(start(3)) == (6.0, 1)
    assert answer(start(3)) == (6.0, 0)


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def test_code_that_cannot_be_kept_is_used_all_the_same(start):
    """With a limit on the size of files, as a quota or a full disk would be."""
    found, remarks = everything(start(3, limit=small_files))
    assert found == (6.0, 1)
    assert remarks.count("compiled code cannot be kept") == 1
    assert "File too large" in remarks
    assert answer(start(3)) == (6.0, 1)
    assert answer(start(3, limit=small_files)) == (6.0, 0)


def test_where_nothing_can_be_written_code_is_used_all_the_same(start, tmp_path):
    """Neither in the folder that is named, nor beside the source, nor at home."""
    (tmp_path / "__pycache__").touch()
    nowhere = dict.fromkeys(("NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME"), "/proc")
    found, remarks = everything(start(3, **nowhere))
    assert found == (6.0, 1)
    assert "compiled code cannot be kept in /proc" in remarks
