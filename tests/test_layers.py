"""The house: the direction of imports, and where types may be left out."""

import ast
import itertools
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
LAYERS = ["models", "optimization", "behaviors", "mpc", "backbeat"]


def lint_imports(folder):
    """Runs import-linter on the packages in `folder`, without writing to it."""
    script = Path(sysconfig.get_path("scripts")) / "lint-imports"
    return subprocess.run(
        [sys.executable, script, "--no-cache", "--no-logo"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_imports_follow_the_layers():
    result = lint_imports(CHECKOUT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_contract_names_every_package():
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]
    assert settings["importlinter"]["root_packages"] == LAYERS
    assert settings["importlinter"]["contracts"][0]["layers"] == LAYERS[::-1]
    assert settings["hatch"]["build"]["targets"]["wheel"]["packages"] == LAYERS


@pytest.fixture
def house(tmp_path):
    """The packages, and what the product has on each level, with nothing in them."""
    settings = (CHECKOUT / "pyproject.toml").read_text()
    levels = tomllib.loads(settings)["tool"]["importlinter"]["contracts"][1]["layers"]
    for name in LAYERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    for name in " | ".join(levels).split(" | "):
        (tmp_path / "backbeat" / f"{name}.py").touch()
    (tmp_path / "pyproject.toml").write_text(settings)
    return tmp_path


@pytest.mark.parametrize(("lower", "upper"), list(itertools.pairwise(LAYERS)))
def test_an_import_against_the_layers_is_found(house, lower, upper):
    assert lint_imports(house).returncode == 0

    (house / lower / "planted.py").write_text(f"import {upper}\n")
    result = lint_imports(house)
    assert result.returncode == 1
    assert f"{lower}.planted -> {upper}" in result.stdout


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        ("sweeping", "cli"),
        ("jobs", "building"),
        ("report", "cards"),
        ("cards", "stage"),
    ],
)
def test_an_import_against_the_product_is_found(house, lower, upper):
    planted = house / "backbeat" / f"{lower}.py"
    planted.write_text(f"import backbeat.{upper}\n")
    result = lint_imports(house)
    assert result.returncode == 1
    assert f"backbeat.{lower} -> backbeat.{upper}" in result.stdout


def is_compiled(function):
    """Whether a decorator hands the function to a compiler."""
    return "compiled" in map(ast.unparse, function.decorator_list)


def untyped_functions(node):
    """Functions in a syntax tree that have neither annotations nor a compiler."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            if is_compiled(child):
                continue
            given = [*ast.walk(child.args), child]
            if not any(
                getattr(part, "annotation", None) or getattr(part, "returns", None)
                for part in given
            ):
                yield child
        yield from untyped_functions(child)


def test_only_compiled_functions_go_without_types():
    found = [
        f"{path.relative_to(CHECKOUT)}:{function.lineno} {function.name}"
        for name in LAYERS
        for path in sorted((CHECKOUT / name).rglob("*.py"))
        for function in untyped_functions(ast.parse(path.read_text()))
    ]
    assert not found, "\n".join(found)


def test_an_untyped_function_is_found():
    source = """
@compiled
def kernel(x): ...
@compiled
def other_kernel(x):
    def inner(y): ...
def typed() -> None:
    def nested(x): ...
class Robot:
    def bare(self): ...
    def half(self, x: int): ...
"""
    names = [function.name for function in untyped_functions(ast.parse(source))]
    assert names == ["nested", "bare"]
