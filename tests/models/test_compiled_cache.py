"""Numba's cache when processes compile the same function at the same time."""

import json
import os
import subprocess
import sys
import time

import pytest

MODULE = """\
import numba as nb

@nb.njit(cache=True)
def half(x):
    return x / 2

@nb.njit(cache=True)
def double(x):
    return half(x[0]) * 4
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

argument, ready, waits, slain, guarded = json.loads(sys.argv[1])
for name in ("_save_index", "_save_data"):
    setattr(IndexDataCacheFile, name, slowed(getattr(IndexDataCacheFile, name)))
if guarded:
    from models.compiled_cache import guard_compiled_cache
    guard_compiled_cache()
import doubling
Path(ready).touch()
while len(list(Path(ready).parent.glob("*.ready"))) < int(Path(ready).stem[0]):
    time.sleep(0.001)
value = doubling.double(np.array([argument]))
print(json.dumps([value, sum(doubling.double.stats.cache_misses.values())]))
"""


@pytest.fixture
def start(tmp_path):
    """`start(argument, ...)` starts a process that doubles its argument, cold."""
    (tmp_path / "doubling.py").write_text(MODULE)
    path = [str(tmp_path), *sys.path]
    env = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join(path),
    }

    def begin(argument, of=1, waits=None, slain="", guarded=True):
        ready = str(tmp_path / f"{of}-{argument}-{waits}.ready")
        setting = json.dumps([argument, ready, waits or {}, slain, guarded])
        return subprocess.Popen(
            [sys.executable, "-c", PROCESS, setting],
            env=env,
            stdout=subprocess.PIPE,
            text=True,
        )

    return begin


def answer(process):
    """Value and number of compilations."""
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return tuple(json.loads(out))


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
