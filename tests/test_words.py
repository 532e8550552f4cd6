"""Words that were replaced by the field's do not come back as names in the product.

Names are those that modules, scripts of the stage's page and notebooks give, to
functions, classes, parameters and variables, and of the modules: not strings, of which
files that are read may have old ones, and not comments. `test_visible_words` reads the
sentences that users see.
"""

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
EVERY = ("models", "optimization", "behaviors", "mpc", "backbeat")
AUTHORED = ("behaviors", "backbeat")
# Old names (a pattern of the whole name), where they do not belong, and names instead.
OLD = [
    (r"_?grip|measure_grip", "mpc optimization", "friction_scale"),
    (r"lift|measure_lift", "mpc/plans mpc/predictive mpc/horizon", "external_force_z"),
    (r"measure_push|outside_(force|acceleration)", "mpc", "external_acceleration"),
    (r"_?hurr(y|ied)\w*", "mpc", "max_phase_rate_change"),
    (r"slowest|fastest", "mpc/plans mpc/predictive", "min_phase_rate, max_phase_rate"),
    (r"_?at_stake", "mpc", "_dcm_error_blend"),
    (
        r"calm|calm_beat|lost",
        "mpc/plans mpc/predictive",
        "dcm_error_low, dcm_error_high",
    ),
    (r"_?crouch|_let_rise", "mpc", "com_lowering"),
    (r"jump|apart|soles_apart", "mpc/plans mpc/predictive", "footstep_adjustment"),
    (r"Tick|[Ss]tructure", "mpc/whole_body", "ProgramWorkspace, ModelData"),
    (r"WholeBodyTick|PredictiveStep", "mpc", "WholeBodyCore, PredictiveCore"),
    (r"off_path", "mpc", "swing_slack"),
    (r"(is)?_?braced|BRACED|_?loose", "mpc/whole_body", "stance or stepping gains"),
    (r"_Around|_around_\w+", "mpc/horizon", "_LinearizationPoint"),
    (r"\w*polish\w*|_?unstick|_come_near", "optimization", "refinement, restart"),
    (r"\w*_?[Ss]tretch(_\w+|ed|es)?", "mpc optimization", "dilation, subproblem"),
    (r"seams?|quiet\w*", "optimization", "split points, split_score"),
    (r"Side|_?make_sides", "optimization", "BoundBarrier"),
    (r"\w*prices?", "mpc optimization", "multiplier, cost or weight"),
    (r"[Tt]roubles?|worst_troubles", "mpc optimization behaviors", "Violation"),
    (r"[Rr]emed(y|ies)", "mpc optimization behaviors", "Relaxation"),
    (r"WorldError|world_error|alter(ed)?_robot", "mpc", "ModelMismatch"),
    (r"\w*[Qq]uestion\w*", "mpc", "Request"),
    (r"\w*[Hh]ello\w*|_?greet(ing)?", "mpc", "Handshake"),
    (r"_?[Ww]iring", "mpc", "JointMap"),
    (r"Asked|AskedTempo|asked_\w+", "mpc", "ControlSettings, RequestedTempo"),
    (r"INFINITY|FREE|INF", "mpc optimization", "UNBOUNDED"),
]
# Old words, and the folders in whose modules, names and parameters they do not belong.
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


def names_of_script(text: str) -> set[str]:
    """Names that JavaScript declares, of functions, classes and variables."""
    pattern = r"\b(?:const|let|function|class) +(\w+|[{\[][^=]*)"
    declared = (re.findall(r"\w+", found) for found in re.findall(pattern, text))
    return set(itertools.chain.from_iterable(declared))


@pytest.fixture(scope="module")
def given():
    """Names that each product module gives, with those of its path."""
    found = {
        path.relative_to(ROOT).as_posix(): names_of_script(path.read_text())
        for path in (ROOT / "backbeat").rglob("*.js")
    }
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        code = [ast.parse(c.source) for c in cells if c.cell_type == "code"]
        found[f"backbeat/notebooks/{path.name}"] = {
            n for c in code for n in names_of(c)
        }
    for folder in EVERY:
        for path in sorted((ROOT / folder).rglob("*.py")):
            module = path.relative_to(ROOT).as_posix()
            if path.resolve() != path or module in found:
                continue  # The packages are linked below backbeat/ too.
            names = {*names_of(ast.parse(path.read_text())), *Path(module).parts[1:]}
            found[module] = {name.removesuffix(".py") for name in names}
    return found


TABLE = [
    *((pattern, folders.split(), False, instead) for pattern, folders, instead in OLD),
    *((word, folders, True, "a word of the field") for word, folders in OLD_WORDS),
]


@pytest.mark.parametrize(
    ("old", "folders", "is_part", "instead"), TABLE, ids=[row[0] for row in TABLE]
)
def test_what_is_old_does_not_come_back(given, old, folders, is_part, instead):
    beginnings = tuple(f"{folder}/" for folder in folders)
    modules = {n: names for n, names in given.items() if n.startswith(beginnings)}
    assert modules
    found = [
        f"{module}: {name}"
        for module, names in modules.items()
        for name in names
        if is_old(name, old, is_part) and old not in USUAL.get(module, ())
    ]
    assert not found, f"say {instead} instead"


def is_old(name: str, old: str, is_part: bool) -> bool:
    """Whether a name is an old one, or has an old word as a part."""
    return old in words_of(name) if is_part else bool(re.fullmatch(old, name))


def test_old_names_are_found():
    assert is_old("hands_on", "hands_on", True)
    assert is_old("HandsOn", "hands_on", True)
    assert is_old("_feeler_on", "feeler", True)
    assert not is_old("swept", "sweep", True)
    assert is_old("_grip", "_?grip", False)
    assert not is_old("gripper", "_?grip", False)
    tree = ast.parse("def f(advice):\n    self.medley, b = 1, advice\n")
    assert set(names_of(tree)) == {"f", "advice", "medley", "b"}
    script = "const { medley, b } = x;\nfunction advice(at) { let seam = 1; }"
    assert names_of_script(script) == {"medley", "b", "advice", "seam"}
