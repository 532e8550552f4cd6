"""Whatever takes a file or a folder takes its name as text too."""

import ast
import importlib
from pathlib import Path

import pytest

from backbeat.models.common.errors import BackbeatError

CHECKOUT = Path(__file__).parents[1]
ATLAS = CHECKOUT / "models" / "robots" / "atlas" / "atlas_v3.urdf"
PACKAGES = ("models", "optimization", "behaviors", "mpc", "backbeat")
NARROW = {"Path", "Path | None"}
WIDE = {"str | Path", "str | Path | None"}


def public_functions():
    """Module, dotted name and node of each; commands get what Typer makes of a line."""
    for package in PACKAGES:
        for file in sorted((CHECKOUT / package).rglob("*.py")):
            module = ".".join(file.relative_to(CHECKOUT).with_suffix("").parts)
            module = module if package == "backbeat" else f"backbeat.{module}"
            text = file.read_text()
            if "Path" in text and not module.startswith("backbeat.cli"):
                for name, node in functions_of(ast.parse(text)):
                    yield module, name, node


def functions_of(tree):
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for name, inner in functions_of(node):
                yield f"{node.name}.{name}", inner
        if isinstance(node, ast.FunctionDef) and (
            node.name == "__init__" or not node.name.startswith("_")
        ):
            yield node.name, node


def annotations(node):
    rest = [node.args.vararg] if node.args.vararg else []
    given = [*node.args.posonlyargs, *node.args.args, *rest, *node.args.kwonlyargs]
    return {a.arg: ast.unparse(a.annotation) for a in given if a.annotation}


def asked_paths(name, node):
    """How many paths a function or class asks for; 0 where it asks for more."""
    if "." in name and not name.endswith(".__init__"):
        return 0
    asked = [a.arg for a in node.args.args[: -len(node.args.defaults) or None]]
    asked = [arg for arg in asked if arg != "self"]
    if None in node.args.kw_defaults:
        return 0
    kinds = annotations(node)
    return len(asked) * all(kinds.get(arg) in WIDE for arg in asked)


CALLS = [
    pytest.param(module, name.removesuffix(".__init__"), count, id=f"{module}.{name}")
    for module, name, node in public_functions()
    if (count := asked_paths(name, node))
]


def test_no_signature_asks_for_a_path_alone():
    """mypy sees to it that text becomes a path before it is used as one."""
    narrow = [
        f"{module}.{name}({arg})"
        for module, name, node in public_functions()
        for arg, kind in annotations(node).items()
        if kind in NARROW
    ]
    assert narrow == []


def outcome(call, *places):
    """What came of a call: the kind of its value, or what was said."""
    try:
        return type(call(*places)).__name__
    except BackbeatError as error:
        return str(error)


@pytest.mark.parametrize(("module", "name", "count"), CALLS)
@pytest.mark.parametrize("place", ["missing.yaml", "folder", "atlas.urdf"])
def test_text_and_path_come_to_the_same(
    module, name, count, place, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "atlas.urdf").write_bytes(ATLAS.read_bytes())
    call = getattr(importlib.import_module(module), name)
    as_path = outcome(call, *[Path(place)] * count)
    assert outcome(call, *[place] * count) == as_path
