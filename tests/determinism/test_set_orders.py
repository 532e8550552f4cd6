"""Nothing follows from the order of a set, which is another one in every process."""

import ast
from pathlib import Path

import pytest

from tests.determinism.set_orders import set_names, set_orders

CHECKOUT = Path(__file__).parents[2]
PACKAGES = "backbeat", "models", "optimization", "behaviors", "mpc", "benchmarks"


def test_elements_of_sets_are_taken_in_a_given_order():
    """Sort them first, or keep what is to be gone through in a list or dict."""
    # The four packages within `backbeat` are links, which `rglob` does not follow.
    files = [f for name in PACKAGES for f in sorted((CHECKOUT / name).rglob("*.py"))]
    trees = {path: ast.parse(path.read_text()) for path in files}
    assert len(trees) > 300
    names = set_names([*trees.values()])
    found = [
        f"{path.relative_to(CHECKOUT)}:{line}"
        for path, tree in trees.items()
        for line in set_orders(tree, names)
    ]
    assert not found


DECLARED = """
def links() -> set[str]: ...
class Robot:
    driven: frozenset[str]
"""


@pytest.mark.parametrize(
    "line",
    [
        "for name in {*first, *second}: pass",
        "poses = {n: pose[n] for n in {*first} - {*second}}",
        "held = {*first, *second} - third; goals = {n: pose[n] for n in held}",
        "held, count = set(first), 0; rows = [pose[n] for n in held]",
        "rows = [pose[n] for n in first.keys() & second.keys()]",
        "total = sum(masses[n] for n in set(first))",
        "rows = np.array(list(links()))",
        "names = (*robot.driven, last)",
        "text = ', '.join(n.upper() for n in links() | first)",
        "def f(names: set[str]):\n    yield from names",
    ],
)
def test_what_follows_from_the_order_of_a_set_is_found(line):
    names = set_names([ast.parse(DECLARED)])
    assert [*set_orders(ast.parse(line), names)]


@pytest.mark.parametrize(
    "line",
    [
        "for name in sorted({*first, *second}): pass",
        "same = {n.upper() for n in set(first)}",
        "bad = any(n not in known for n in set(first))",
        "wider = {*set(first), last}",
        "held = set(first); held = sorted(held); rows = [pose[n] for n in held]",
        "rows = [pose[n] for n in first.keys()]",
        "there = name in robot.driven",
    ],
)
def test_what_does_not_is_left_alone(line):
    names = set_names([ast.parse(DECLARED)])
    assert not [*set_orders(ast.parse(line), names)]
