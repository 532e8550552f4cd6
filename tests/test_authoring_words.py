"""Words that were replaced by the field's terms do not come back as identifiers."""

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EVERY = ("models", "optimization", "behaviors", "mpc", "backbeat")
AUTHORED = ("behaviors", "backbeat")
# An old word, and the folders in whose modules, names and parameters it must not be.
# A word counts as a part of a name, between underscores or capitals.
OLD_WORDS = (
    ("advice", AUTHORED),
    ("advised", AUTHORED),
    ("second_thoughts", AUTHORED),
    ("otherwise", AUTHORED),
    ("arm_ways", AUTHORED),
    ("ways", AUTHORED),
    ("haste", AUTHORED),
    ("hastened", AUTHORED),
    ("workshop", EVERY),
    ("bench", EVERY),
    ("heard", ("behaviors",)),
    ("rehearsal", EVERY),
    ("rehearsed", EVERY),
    ("patcher", EVERY),
    ("patched", ("behaviors",)),
    ("medley", EVERY),
    ("staging", EVERY),
    ("seam", ("behaviors/motion", "behaviors/setlist")),
    ("honor", EVERY),
    ("honoring", EVERY),
    ("fate", EVERY),
    ("fates", EVERY),
    ("mend", EVERY),
    ("mending", EVERY),
    ("slim", EVERY),
    ("slimming", EVERY),
    ("feeler", EVERY),
    ("feelers", EVERY),
    ("sweep", ("models/collision", "optimization")),
    ("swept", ("models/collision", "optimization")),
    ("puppet", EVERY),
    ("moment", ("backbeat/stage",)),
    ("hands_on", EVERY),
    ("kept_simulation", EVERY),
    ("room", ("backbeat/figures", "behaviors/drumming")),
)
# Names that have such a word in its usual sense, or that are the old name itself.
USUAL = {
    "backbeat/stage/sources/measured_motion.py": {"moment"},
    "backbeat/cli/robots/lint.py": {"fates"},
}


def words_of(name: str) -> set[str]:
    """A name in lower case, its words, and neighbors of them."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
    parts = [p for p in snake.split("_") if p]
    pairs = {"_".join(p) for p in itertools.pairwise(parts)}
    return {*parts, *pairs}


def names_of(tree: ast.AST) -> Iterator[str]:
    """Names that a module gives: of functions, classes, parameters and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


@pytest.fixture(scope="module")
def given():
    """Words of the names in each product module, the module's own path among them."""
    found = {}
    for folder in EVERY:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if path.resolve() != path or name in found:
                continue  # The packages are linked below backbeat/ too.
            names = [*names_of(ast.parse(path.read_text())), *Path(name).parts[1:]]
            names = [n.removesuffix(".py") for n in names]
            found[name] = set().union(*map(words_of, names))
    return found


@pytest.mark.parametrize(("word", "folders"), OLD_WORDS, ids=[w for w, _ in OLD_WORDS])
def test_an_old_word_does_not_come_back(given, word, folders):
    beginnings = tuple(f"{folder}/" for folder in folders)
    modules = {n: words for n, words in given.items() if n.startswith(beginnings)}
    assert modules
    found = [
        name
        for name, words in modules.items()
        if word in words - USUAL.get(name, set())
    ]
    assert found == []


def test_words_are_found_in_names():
    assert "hands_on" in words_of("HandsOn")
    assert "feeler" in words_of("_feeler_on")
    assert "sweep" not in words_of("swept")
    tree = ast.parse("def f(advice):\n    self.medley, b = 1, advice\n")
    assert set(names_of(tree)) == {"f", "advice", "medley", "b"}
