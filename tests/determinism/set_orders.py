"""Where a program takes the elements of a set in order, by its syntax tree.

Strings, and tuples and enumerations of them, have other hashes in every process, so
that sets of them have another order. What follows from that order differs from run to
run, though it be but the order of rows in a matrix, and so the last bits of its factor.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Calls that make or do something in the order of their arguments' elements.
ORDERED = {
    *("list", "tuple", "iter", "next", "enumerate", "zip", "map", "filter", "reversed"),
    *("sum", "fsum", "prod", "fromkeys", "join", "array", "fromiter", "concatenate"),
    *("stack", "vstack", "hstack", "extend", "deque", "chain", "product", "Counter"),
}
# Calls that make the same of the elements in any order.
INDIFFERENT = {"sorted", "set", "frozenset", "len", "any", "all", "min", "max"}
ALGEBRA = {"union", "intersection", "difference", "symmetric_difference"}
SETS = {"set", "frozenset", "Set", "MutableSet", "AbstractSet"}
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


class Names(NamedTuple):
    """Functions and attributes that are sets wherever they have that name."""

    functions: set[str]
    attributes: set[str]


def name_of(node: ast.AST | None) -> str:
    """The last word of a name, an attribute, or a call or index of one."""
    if isinstance(node, ast.Subscript):
        return name_of(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def set_names(trees: Sequence[ast.Module]) -> Names:
    """What some modules declare to be sets, and never anything else."""
    functions: dict[str, bool] = {}
    attributes: dict[str, bool] = {}
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, FUNCTIONS):
            is_set = name_of(node.returns) in SETS
            functions[node.name] = functions.get(node.name, True) and is_set
        if isinstance(node, ast.ClassDef):
            for one in (part for part in node.body if isinstance(part, ast.AnnAssign)):
                name, is_set = name_of(one.target), name_of(one.annotation) in SETS
                attributes[name] = attributes.get(name, True) and is_set
    return Names(
        {name for name, is_set in functions.items() if is_set},
        {name for name, is_set in attributes.items() if is_set},
    )


class _Finder(ast.NodeVisitor):
    """Collects the lines of one module."""

    def __init__(self, names: Names) -> None:
        self.names, self.scopes, self.lines = names, [set[str]()], list[int]()

    def is_set(self, node: ast.AST | None) -> bool:
        """Whether an expression is evidently a set."""
        match node:
            case ast.Set() | ast.SetComp():
                return True
            case ast.Name(id=name):
                return name in self.scopes[-1]
            case ast.Attribute(attr=name):
                return name in self.names.attributes
            case ast.BinOp(op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor()):
                sides = node.left, node.right
                return any(self.is_set(s) or _is_view(s) for s in sides)
            case ast.IfExp(body=one, orelse=other):
                return self.is_set(one) or self.is_set(other)
            case ast.Call(func=ast.Attribute(value=value, attr=name)):
                return name in ALGEBRA and self.is_set(value)
            case ast.Call(func=function):
                name = name_of(function)
                return name in SETS or name in self.names.functions
        return False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        sets = {a.arg for a in arguments if name_of(a.annotation) in SETS}
        outside = self.scopes[-1] - {a.arg for a in arguments}
        self.scopes.append(outside | sets)
        self.generic_visit(node)
        self.scopes.pop()

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        for target in node.targets:
            self._assign(target, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.generic_visit(node)
        if isinstance(node.target, ast.Name) and name_of(node.annotation) in SETS:
            self.scopes[-1].add(node.target.id)

    def _assign(self, target: ast.AST, value: ast.AST) -> None:
        if isinstance(target, ast.Tuple):
            if isinstance(value, ast.Tuple):
                for one, its in zip(target.elts, value.elts, strict=False):
                    self._assign(one, its)
            elif len(target.elts) > 1:
                self._take(value)
        elif isinstance(target, ast.Name):
            self.scopes[-1].discard(target.id)
            if self.is_set(value):
                self.scopes[-1].add(target.id)

    def _take(self, node: ast.AST) -> None:
        if self.is_set(node):
            self.lines.append(node.lineno)  # type: ignore[attr-defined]

    def visit_For(self, node: ast.For) -> None:
        self._take(node.iter)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = name_of(node.func)
        for argument in node.args:
            if name in ORDERED and not hasattr(node, "is_free"):
                self._take(argument)
            if name in INDIFFERENT and "key" not in [k.arg for k in node.keywords]:
                argument.is_free = True  # type: ignore[attr-defined]
        self.generic_visit(node)

    def _visit_comprehension(
        self, node: ast.GeneratorExp | ast.ListComp | ast.DictComp
    ) -> None:
        if not hasattr(node, "is_free"):
            for generator in node.generators:
                self._take(generator.iter)
        self.generic_visit(node)

    visit_GeneratorExp = visit_ListComp = visit_DictComp = _visit_comprehension

    def visit_Set(self, node: ast.Set) -> None:
        for element in node.elts:
            self.visit(element.value if isinstance(element, ast.Starred) else element)

    def visit_Starred(self, node: ast.Starred) -> None:
        self._take(node.value)
        self.generic_visit(node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> None:
        self._take(node.value)
        self.generic_visit(node)


def _is_view(node: ast.AST) -> bool:
    """Whether it is keys or items of a mapping, which make sets of each other."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("keys", "items")
    )


def set_orders(tree: ast.Module, names: Names) -> Iterator[int]:
    """Lines that take elements of a set in the order that it has them."""
    finder = _Finder(names)
    finder.visit(tree)
    yield from sorted(finder.lines)
