"""Compiled functions do what Python does, to the last bit, or are refused."""

import inspect

import numpy as np
import pytest

from backbeat.models.compiled.bound import bind
from backbeat.models.compiled.words import TranslationError
from tests.models.compiled.house import both, translate

KERNELS = """
FIRST, SECOND = range(2)
SIZE, SHIFT = 3, -0.5

class Pair(NamedTuple):
    size: int
    scale: float
    is_on: bool
    T: Vector
    grid: Matrix

@compiled
def branches(x: Vector, out: Vector):
    for i in range(x.shape[0]):
        if x[i] > 1.0:
            value = x[i]
        elif 0.0 < x[i] <= 1.0:
            value = -x[i]
        else:
            value = SHIFT
        out[i] = value

@compiled
def loops(x: Vector, out: Vector):
    n, last = 0, 0
    while n < x.shape[0] and x[n] < 2.0:
        n += 1
    for i in range(x.shape[0] - 1, -1, -2):
        last = i
        if i == 3:
            continue
        if x[i] > 1e6:
            break
        out[i] += i / 2 + i // 2 + i % 3 - (-i) // 2
    return n, last, float(n) / 3

@compiled
def swap(x: Vector):
    a, b = x[0], x[1]
    a, b = b, a
    x[0], x[1] = x[1], x[0]
    x[2] = a - b

@compiled
def slices(A: Matrix, out: Matrix):
    out[:] = 1.0
    out[0] = A[1]
    out[1, 1:3] = A[0, :2]
    out[2:, 0] = A[:2, 3] * 2.0
    out[1:3] += A[1:3]
    out[-1, 0] = out[0, -1]
    part = A[:, 1]
    for i in range(part.shape[0]):
        out[i, 2] -= part[i]
    turned = A.T
    out[0, 0] += turned[2, 1]

@compiled
def memory(x: Vector, out: Vector):
    fixed, free = np.zeros((SIZE, 2)), np.empty(x.shape[0])
    copy = x.copy()
    for i in range(x.shape[0]):
        free[i] = x[i] ** 2 - copy[i] ** 3
        fixed[i % SIZE, SECOND] += free[i]
    out[:] = free - 0.5 * x
    out[0] = fixed[2, 1] + fixed[0, FIRST]

@compiled
def functions(x: Vector, out: Vector):
    a, b = abs(x[0]) + 0.1, x[1]
    out[0] = np.sqrt(a) + np.sin(b) * np.cos(b) + np.exp(-a) + np.log(a)
    out[1] = np.arctan2(b, a) + np.arccos(0.1) + np.pi
    out[2] = max(a, b, 0.3) - min(a, b)
    out[3] = 1.0 if np.isnan(b) or not np.isfinite(a) else 2.0
    return _inner(x, 2)

@compiled
def _inner(x, times):
    total = 0.0
    for i in range(times):
        total += x[i]
    return total

@compiled
def tuples(pair: Pair, bound: Bound[tuple[Pair, Vector, int]], out: Vector):
    other, extra, k = bound.content
    size, scale, is_on, T, grid = pair
    for i in range(size):
        out[i] = scale * T[i] + other.T[i] * grid[i, k] + extra[i]
    return is_on and other.is_on

@compiled
def views(A: MatrixView, x: VectorView, out: VectorView):
    for i in range(A.shape[0]):
        out[i] = A[i, 0] - x[i]

@compiled
def flags(a: Flags, b: Flags, out: Flags):
    rests = a & ~b
    for i in range(a.shape[0]):
        out[i] = rests[i]
    return rests.any(), rests.all()
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    return both(tmp_path_factory.mktemp("house"), KERNELS)


def numbers(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape) * 2


def pair(module, seed):
    return module.Pair(3, 0.7, True, numbers(seed, 5), numbers(seed + 1, 5, 4))


CALLS = {
    "branches": lambda m, s: (numbers(s, 9), np.zeros(9)),
    "loops": lambda m, s: (numbers(s, 9), np.zeros(9)),
    "swap": lambda m, s: (numbers(s, 3),),
    "slices": lambda m, s: (numbers(s, 4, 4), np.zeros((4, 4))),
    "memory": lambda m, s: (numbers(s, 7), np.zeros(7)),
    "functions": lambda m, s: (numbers(s, 4), np.zeros(4)),
    "tuples": lambda m, s: (
        pair(m, s),
        bind((pair(m, s + 5), numbers(s, 5), 2)),
        np.zeros(5),
    ),
    "views": lambda m, s: (
        numbers(s, 6, 5).T,
        numbers(s, 5, 2)[:, 1],
        np.zeros((5, 2))[:, 0],
    ),
    "flags": lambda m, s: (
        numbers(s, 6) > 0,
        numbers(s + 1, 6) > 0,
        np.zeros(6, bool),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_compiled_is_as_written(kernels, name):
    module, compiled = kernels
    for seed in range(20):
        ours, theirs = (CALLS[name](module, seed) for _ in range(2))
        result = compiled[name](*ours)
        expected = inspect.unwrap(getattr(module, name))(*theirs)
        assert result == expected
        for a, b in zip(ours, theirs, strict=True):
            if isinstance(a, np.ndarray):
                assert a.tobytes() == b.tobytes()


def test_all_of_them_are_tried(kernels):
    _, compiled = kernels
    assert compiled.keys() == CALLS.keys()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: (np.zeros(9, np.float32), np.zeros(9)), "x has an array of 1 dim"),
        (lambda: (np.zeros((3, 3)), np.zeros(9)), "2 dimensions .* has to be 1"),
        (lambda: (np.zeros(18)[::2], np.zeros(9)), "contiguous in C order"),
        (lambda: ([0.0, 1.0], np.zeros(9)), "x has to be made of arrays"),
        (lambda: (np.zeros(9),), "takes 2 arguments, 1 were given"),
    ],
)
def test_other_arguments_are_refused(kernels, wrong, said):
    _, compiled = kernels
    with pytest.raises(TypeError, match=said):
        compiled["branches"](*wrong())


def test_a_tuple_of_another_size_is_refused(kernels):
    module, compiled = kernels
    with pytest.raises(TypeError, match="tuple with other entries"):
        compiled["tuples"](*CALLS["tuples"](module, 0)[:1], bind((1, 2)), np.zeros(5))


def test_bound_arguments_are_shared_and_live_as_long_as_they_are_bound(kernels):
    module, compiled = kernels
    given, out = pair(module, 0), np.zeros(5)
    extra = np.zeros(5)
    bound = bind((pair(module, 1), extra, 0))
    compiled["tuples"](given, bound, out)
    before = out.copy()
    extra += 1.0
    compiled["tuples"](given, bound, out)
    np.testing.assert_array_equal(out[:3], before[:3] + 1.0)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("for i in x: pass", "a loop goes over a range"),
        ("y = [1.0, 2.0]", "cannot be compiled: \\[1.0, 2.0\\]"),
        ("y = np.fft.fft(x)", "np.fft.fft is not compiled"),
        ("y = unknown", "unknown is unknown here"),
        ("y = np.zeros(3, np.float32)", "np.float32 is no type of numbers"),
        (
            "for i in range(3):\n        if x[i] > 0: y = x[i]\n        x[0] = y",
            "y may keep a value of the turn before",
        ),
    ],
)
def test_what_cannot_be_compiled_is_refused_with_its_line(tmp_path, lines, said):
    text = f"\n@compiled\ndef kernel(x: Vector):\n    {lines}\n"
    with pytest.raises(TranslationError, match=f"models.kernels, line .*{said}"):
        translate(tmp_path, text)


def test_an_unknown_type_is_refused(tmp_path):
    with pytest.raises(TranslationError, match="list is no type"):
        translate(tmp_path, "\n@compiled\ndef kernel(x: list):\n    return x\n")
