"""Words that were replaced by the field's do not come back as names in the product.

Names are those of Python code, and of its modules: not of strings, of which files that
are read may have old ones, and not of comments.
"""

import io
import re
import tokenize
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]

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


def names_of(source: str) -> list[tuple[int, str]]:
    """Names in Python code, each with its line."""
    found = tokenize.generate_tokens(io.StringIO(source).readline)
    return [(t.start[0], t.string) for t in found if t.type == tokenize.NAME]


def places(pattern: str, source: str, path: str) -> list[str]:
    """Where a module has names of a pattern, its own name among them."""
    found = [(0, Path(path).stem)]
    # Most modules have no such word at all, and need not be taken apart.
    if re.search(pattern, source):
        found += names_of(source)
    whole = re.compile(pattern)
    return [f"{path}:{line} {name}" for line, name in found if whole.fullmatch(name)]


@pytest.mark.parametrize(("pattern", "folders", "instead"), OLD, ids=lambda x: x)
def test_old_names_do_not_come_back(pattern, folders, instead):
    modules = [m for f in folders.split() for m in sorted((CHECKOUT / f).rglob("*.py"))]
    assert modules, folders
    found = [
        place
        for module in modules
        for place in places(
            pattern, module.read_text(), str(module.relative_to(CHECKOUT))
        )
    ]
    assert not found, f"say {instead} instead"


def test_names_are_found_in_code_and_in_paths_alone():
    source = '"""A grip."""\nweight.grip = {"grip": 1}  # grip\n'
    assert places("grip", source, "mpc/new.py") == ["mpc/new.py:2 grip"]
    assert places("grip", "", "mpc/plans/grip.py") == ["mpc/plans/grip.py:0 grip"]
    assert not places("grip", "gripper = 1", "mpc/new.py")
