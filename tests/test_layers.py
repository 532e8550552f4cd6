"""The house: the direction of imports, and where types may be left out."""

import ast
import functools
import itertools
import re
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
LAYERS = ["models", "optimization", "behaviors", "mpc", "backbeat"]
# Modules in one folder.
MOST = 14
# Lines of a function with its docstring, and of a module.
MOST_LINES, MOST_LINES_OF_MODULE = 60, 350


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


def contracts():
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]
    layers = [c for c in settings["importlinter"]["contracts"] if "layers" in c]
    return {c["containers"][0]: c for c in layers}


def test_the_links_lead_to_the_packages():
    for name in LAYERS[:-1]:
        link = CHECKOUT / "backbeat" / name
        assert link.is_symlink()
        assert link.resolve() == CHECKOUT / name


def test_every_folder_of_modules_is_in_a_contract():
    """Layers are checked wherever a folder has folders of its own beside them."""
    told = contracts()
    for folder, names in folders().items():
        if len(names) > 1:
            assert folder in told, f"no contract has the folders of {folder}"
            layers = " | ".join(told[folder]["layers"]).split(" | ")
            assert names <= set(layers), folder


def folders():
    """Names of packages within each package."""
    found = {}
    for name in LAYERS:
        for init in (CHECKOUT / name).rglob("*/__init__.py"):
            parts = init.parent.relative_to(CHECKOUT).parts
            path = parts if name == "backbeat" else ("backbeat", *parts)
            found.setdefault(".".join(path[:-1]), set()).add(path[-1])
    found["backbeat"] |= set(LAYERS[:-1])
    return found


def test_no_folder_is_too_full_and_none_has_a_single_module():
    for name in LAYERS:
        for init in (CHECKOUT / name).rglob("__init__.py"):
            here = init.parent
            modules = [f for f in here.glob("*.py") if not f.stem.startswith("__")]
            assert len(modules) <= MOST, here
            inside = [f for f in here.rglob("*.py") if not f.stem.startswith("__")]
            assert len(inside) > 1 or here.parent.name == "robots", here


def public_classes(node):
    """Names of public classes in a syntax tree, those inside functions apart."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            if not child.name.startswith("_"):
                yield child.name
            yield from public_classes(child)
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from public_classes(child)


@functools.cache
def classes_in(path):
    return list(public_classes(ast.parse(path.read_text())))


def test_a_public_class_has_a_name_of_its_own():
    places = {}
    for name in LAYERS:
        # Links are not followed: every file counts once.
        for path in sorted((CHECKOUT / name).rglob("*.py")):
            for found in classes_in(path):
                places.setdefault(found, []).append(str(path.relative_to(CHECKOUT)))
    assert len(places) > 300
    twice = {name: files for name, files in places.items() if len(files) > 1}
    assert not twice, twice


def test_public_classes_are_found():
    source = """
class Robot:
    class Joint: ...
    def method(self):
        class Local: ...
class _Private: ...
if True:
    class Guarded: ...
"""
    assert list(public_classes(ast.parse(source))) == ["Robot", "Joint", "Guarded"]


def test_a_folder_names_classes_that_are_in_it():
    for name in LAYERS:
        for init in (CHECKOUT / name).rglob("__init__.py"):
            said = ast.get_docstring(ast.parse(init.read_text()))
            assert said, init
            files = init.parent.rglob("*.py")
            there = {found for path in files for found in classes_in(path)}
            told = set(re.findall(r"`((?:[A-Z][a-z]+)+)`", said))
            assert told <= there, (init, told - there)


def long_ones(source):
    """Modules and functions in a text that are too long: name and lines of each.

    Tables of data, which are assigned outside of functions, do not count.
    """
    tree = ast.parse(source)
    tables = (n for n in tree.body if isinstance(n, ast.Assign | ast.AnnAssign))
    lines = len(source.splitlines()) - sum(map(length, tables))
    if lines > MOST_LINES_OF_MODULE:
        yield "module", lines
    for node in ast.walk(tree):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if is_function and length(node) > MOST_LINES:
            yield node.name, length(node)


def length(node):
    return node.end_lineno - node.lineno + 1


def test_functions_fit_a_screen_and_modules_have_one_subject():
    found = [
        f"{path.relative_to(CHECKOUT)}: {name} has {lines} lines"
        for package in LAYERS
        for path in sorted((CHECKOUT / package).rglob("*.py"))
        for name, lines in long_ones(path.read_text())
    ]
    assert not found, "\n".join(found)


def test_a_long_function_and_a_long_module_are_found():
    body = "    x = 1\n"
    assert not list(long_ones("def short():\n" + 59 * body))
    assert list(long_ones("def long():\n" + 60 * body)) == [("long", 61)]
    nested = "class A:\n    async def long(self):\n" + 60 * ("    " + body)
    assert list(long_ones(nested)) == [("long", 61)]
    table = "TABLE = [\n" + 400 * "    1,\n" + "]\n"
    assert not list(long_ones(table + 350 * "print()\n"))
    assert list(long_ones(table + 351 * "print()\n")) == [("module", 351)]


@pytest.fixture
def house(tmp_path):
    """Packages and modules that the contracts name, with nothing in them."""
    (tmp_path / "backbeat").mkdir()
    (tmp_path / "backbeat" / "__init__.py").touch()
    for package, contract in contracts().items():
        folder = tmp_path.joinpath(*package.split("."))
        for name in " | ".join(contract["layers"]).split(" | "):
            (folder / name).mkdir(parents=True, exist_ok=True)
            (folder / name / "__init__.py").touch()
    settings = (CHECKOUT / "pyproject.toml").read_text()
    (tmp_path / "pyproject.toml").write_text(settings)
    return tmp_path


@pytest.mark.parametrize(("lower", "upper"), list(itertools.pairwise(LAYERS)))
def test_an_import_against_the_layers_is_found(house, lower, upper):
    assert lint_imports(house).returncode == 0
    upper = "cli" if upper == "backbeat" else upper
    planted = house / "backbeat" / lower / "planted"
    planted.with_suffix(".py").write_text(f"import backbeat.{upper}\n")
    result = lint_imports(house)
    assert result.returncode == 1
    assert f"backbeat.{lower}.planted -> backbeat.{upper}" in result.stdout


@pytest.mark.parametrize(
    ("folder", "lower", "upper"),
    [
        ("", "jobs", "cli"),
        ("", "report", "stage"),
        ("models", "dynamics", "robot"),
        ("mpc", "simulation", "analysis"),
        ("mpc", "plans", "predictive"),
        ("behaviors", "dance", "building"),
    ],
)
def test_an_import_against_the_layers_of_a_package_is_found(
    house, folder, lower, upper
):
    place = ".".join(filter(None, ("backbeat", folder)))
    planted = house.joinpath(*place.split("."), lower, "planted.py")
    planted.write_text(f"import {place}.{upper}\n")
    result = lint_imports(house)
    assert result.returncode == 1
    assert f"{place}.{lower}.planted -> {place}.{upper}" in result.stdout


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


# Arguments of a function, itself or its class apart.
MOST_ARGUMENTS = 8


def many_arguments(source):
    """Functions in a text with too many arguments: name and number of each.

    Commands of the command line have an argument for each of their options.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            names = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            count = len([n for n in names if n.arg not in ("self", "cls")])
            if count > MOST_ARGUMENTS:
                yield node.name, count


def test_no_function_has_more_arguments_than_eight():
    for name in LAYERS:
        for path in sorted((CHECKOUT / name).rglob("*.py")):
            where = path.relative_to(CHECKOUT)
            found = dict(many_arguments(path.read_text()))
            if where.parts[:2] == ("backbeat", "cli"):
                found.pop("command", None)
            assert not found, (where, found)


def test_many_arguments_are_found():
    source = """
class A:
    def enough(self, a, b, c, d, e, f, g, h): ...
    def much(self, a, b, c, d, e, f, g, /, h, *, i): ...
"""
    assert dict(many_arguments(source)) == {"much": 9}
