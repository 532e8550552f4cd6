"""Compiled functions are on their own: no copy of one serves another."""

import json
import os
import subprocess
import sys

import pytest

# Too long to be inlined: it is linked into `outer` as a copy.
LINES = "\n".join(
    f"        total += np.sin(a * {k}.5 + total) / (1.0 + a * a)" for k in range(60)
)
INNER = f"""\
import numba as nb
import numpy as np

@nb.njit(cache=True, fastmath=True)
def inner(x):
    total = 0.0
    for a in x:
{LINES}
    return total * FACTOR
"""
OUTER = """\
import numba as nb
from inner import inner

@nb.njit(cache=True, fastmath=True)
def outer(x):
    return inner(x) + inner(2.0 * x)
"""
PROCESS = """\
import json, sys
import numpy as np
from llvmlite.binding import Linkage
from models.compiled_cache import guard_compiled_cache
guard_compiled_cache()
from inner import inner
from outer import outer
x = np.linspace(0.0, 1.0, 20)
if sys.argv[1] == "inner":
    inner(x)
value = outer(x)
def lent(function):
    (made,) = function.overloads.values()
    copies = made.library._final_module.functions
    return [f.name for f in copies if f.linkage is Linkage.linkonce_odr]
print(json.dumps([value, sum(outer.stats.cache_misses.values()), lent(outer)]))
"""


@pytest.fixture
def run(tmp_path):
    """`run(first)` has the sum of `outer`, of a process that may call `inner` first."""
    (tmp_path / "inner.py").write_text(INNER.replace("FACTOR", "1.0"))
    (tmp_path / "outer.py").write_text(OUTER)
    env = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
    }

    def call(first):
        done = subprocess.run(
            [sys.executable, "-c", PROCESS, first],
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return call


def test_no_copy_is_lent_and_bits_do_not_hang_on_who_came_first(run):
    """Compiled just now or loaded, with what it calls in the process or without it."""
    value, compiled, lent = run("outer")
    assert compiled
    assert lent == []
    for first in ("outer", "inner"):
        again, compiled, _ = run(first)
        assert not compiled
        assert again.hex() == value.hex()


def test_a_copy_is_used_by_its_owner_alone(run, tmp_path):
    """Another `inner` in the same process leaves the one within `outer` alone."""
    value, _, _ = run("inner")
    old = {p: p.read_bytes() for p in (tmp_path / "cache").rglob("outer*.nbc")}
    (tmp_path / "inner.py").write_text(INNER.replace("FACTOR", "3.0"))
    changed, compiled, _ = run("inner")
    assert compiled
    assert changed == pytest.approx(3 * value)
    # The old machine code of `outer`, under the stamp of the new one.
    for path, content in old.items():
        path.write_bytes(content)
    again, compiled, _ = run("inner")
    assert not compiled
    assert again.hex() == value.hex()
