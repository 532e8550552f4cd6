"""What Python calls is compiled, and nothing of it runs as Python by mistake."""

import ast
from pathlib import Path

import pytest

import backbeat.models.compiled
from backbeat.models.compiled.bindings import is_entry
from backbeat.models.compiled.source import read_modules
from backbeat.models.compiled.words import KINDS

CHECKOUT = Path(__file__).parents[3]


def calls(tree, own):
    """Names that stand outside of compiled functions."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.FunctionDef) and child.name in own:
            continue
        if isinstance(child, ast.Name | ast.Attribute) and (text := dotted(child)):
            yield text
        yield from calls(child, own)


def dotted(node):
    """A name with its attributes; nothing for those of anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (text := dotted(node.value)):
        return f"{text}.{node.attr}"
    return ""


def uses(root, modules):
    """(module, name) of compiled functions that other code names, and where."""
    folders = sorted(path for path in (root / "backbeat").iterdir() if path.is_dir())
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            tree = ast.parse(path.read_text())
            name = ".".join(path.relative_to(root).with_suffix("").parts)
            own = modules[name].functions if name in modules else {}
            known = {function: (name, function) for function in own}
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.module:
                    for alias in node.names:
                        known[alias.asname or alias.name] = node.module, alias.name
            imported = {m for pair in known.values() for m in (pair[0], ".".join(pair))}
            if not any(modules[m].functions for m in imported & modules.keys()):
                continue
            for text in calls(tree, own):
                head, _, rest = text.partition(".")
                if head not in known:
                    continue
                module, called = known[head]
                if rest and f"{module}.{called}" in modules:
                    module, called = f"{module}.{called}", rest
                if module in modules and called in modules[module].functions:
                    yield (module, called), path.relative_to(root)


@pytest.fixture(scope="module")
def modules():
    return read_modules(CHECKOUT)


def test_every_compiled_function_that_python_calls_has_types(modules):
    lacking = {
        f"{path}: {module}.{name} runs as Python, for its arguments have no types"
        for (module, name), path in uses(CHECKOUT, modules)
        if not is_entry(modules[module].functions[name])
    }
    assert not lacking, "\n".join(sorted(lacking))


def test_a_function_without_types_is_found(tmp_path):
    folder = tmp_path / "backbeat" / "models"
    folder.mkdir(parents=True)
    (folder / "kernels.py").write_text("@compiled\ndef kernel(x): pass\n")
    (folder / "other.py").write_text(
        "from backbeat.models import kernels\ndef f(): kernels.kernel(1)\n"
    )
    modules = read_modules(tmp_path)
    found = [function for function, _ in uses(tmp_path, modules)]
    assert found == [("backbeat.models.kernels", "kernel")]


def test_every_function_with_types_is_in_the_library(modules):
    entries = {
        f"{module.name}.{name}"
        for module in modules.values()
        for name, function in module.functions.items()
        if is_entry(function)
    }
    assert backbeat.models.compiled._library().keys() == entries
    assert len(entries) > 80


def test_every_type_of_arrays_is_known():
    tree = ast.parse((CHECKOUT / "models" / "compiled" / "arrays.py").read_text())
    names = {
        ast.unparse(line.targets[0])
        for line in tree.body
        if isinstance(line, ast.Assign)
    }
    assert names == KINDS.keys() - {"bool", "int", "float"}
