"""The compiled part of the source: functions, named tuples and constants of modules.

Modules are read as text and never imported, so that an installation needs nothing but
Python for it.
"""

import ast
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = "backbeat"
PACKAGES = "models", "optimization", "behaviors", "mpc"
MARK = "compiled"
TUPLES = "NamedTuple", "dataclass(frozen=True)"
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.BitOr: operator.or_,
}

Constant = bool | int | float


@dataclass
class Module:
    """What a module has that compiled functions may use.

    Attributes:
        name: with dots, as it is imported.
        functions: its compiled functions by name, in their order.
        tuples: annotations by field, by named tuple.
        constants: its numbers.
        imports: (module, name) by name in here; the name is empty for a whole module.
    """

    name: str
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    tuples: dict[str, dict[str, ast.expr]] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def namespace(self) -> str:
        """Its name in C++."""
        return self.name.replace(".", "_")


def read_modules(root: str | Path) -> dict[str, Module]:
    """Every module below a folder that compiled functions may name, by name."""
    root, modules = Path(root), {}
    for path in source_files(root):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        modules[name] = _read(name, ast.parse(path.read_text("utf-8"), str(path)))
    return modules


def source_files(root: str | Path) -> Iterator[Path]:
    """All files that may have anything to compile."""
    for package in PACKAGES:
        yield from sorted((Path(root) / ROOT / package).rglob("*.py"))


def _read(name: str, tree: ast.Module) -> Module:
    module = Module(name)
    for node in tree.body:
        match node:
            case ast.Import():
                for alias in node.names:
                    module.imports[alias.asname or alias.name] = alias.name, ""
            case ast.ImportFrom(module=str(source)):
                for alias in node.names:
                    module.imports[alias.asname or alias.name] = source, alias.name
            case ast.FunctionDef() if MARK in map(ast.unparse, node.decorator_list):
                module.functions[node.name] = node
            case ast.ClassDef() if _is_tuple(node):
                module.tuples[node.name] = {
                    line.target.id: line.annotation
                    for line in node.body
                    if isinstance(line, ast.AnnAssign)
                    and isinstance(line.target, ast.Name)
                }
            case ast.Assign(targets=[target]):
                _keep_constants(target, node.value, module.constants)
    return module


def _is_tuple(node: ast.ClassDef) -> bool:
    """Whether a class is one of named entries: a dataclass is given as a tuple."""
    marks = [*node.bases, *node.decorator_list]
    return any(ast.unparse(mark) in TUPLES for mark in marks)


def _keep_constants(
    target: ast.expr, value: ast.expr, known: dict[str, Constant]
) -> None:
    match target, value:
        case ast.Name(), _:
            number = _evaluate(value, known)
            if number is not None:
                known[target.id] = number
        case ast.Tuple(), ast.Call(func=ast.Name("range"), args=bounds):
            numbers = range(*map(ast.literal_eval, bounds))
            for name, entry in zip(target.elts, numbers, strict=True):
                known[ast.unparse(name)] = entry
        case ast.Tuple(), ast.Tuple() if len(target.elts) == len(value.elts):
            for t, v in zip(target.elts, value.elts, strict=True):
                _keep_constants(t, v, known)


def _evaluate(node: ast.expr, known: dict[str, Constant]) -> Constant | None:
    """A number that is written in the source; None for anything else."""
    match node:
        case ast.Constant(value=bool() | int() | float() as value):
            return value
        case ast.Name() if node.id in known:
            return known[node.id]
        case ast.UnaryOp(op=ast.USub()):
            inner = _evaluate(node.operand, known)
            return None if inner is None else -inner
        case ast.BinOp() if type(node.op) in _OPERATORS:
            left, right = _evaluate(node.left, known), _evaluate(node.right, known)
            if left is None or right is None:
                return None
            return _OPERATORS[type(node.op)](left, right)
    return None
