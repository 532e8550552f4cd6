"""Expressions of compiled functions in C++."""

import ast

from backbeat.models.compiled.words import Translator, name_of

_MATH = {
    f"np.{name}": f"std::{name}" for name in ("sqrt", "sin", "cos", "exp", "log")
} | {
    "np.arctan2": "std::atan2",
    "np.arccos": "std::acos",
    "np.isnan": "std::isnan",
    "np.isfinite": "std::isfinite",
    "np.abs": "backbeat::abs",
    "abs": "backbeat::abs",
    "min": "backbeat::min",
    "max": "backbeat::max",
    "np.eye": "backbeat::eye",
    "np.linalg.solve": "backbeat::solve",
    "float": "double",
    "int": "backbeat::Int",
    "bool": "bool",
}
_METHODS = {"copy", "ravel", "any", "all"}
_VALUES = {
    "np.pi": "M_PI",
    "np.nan": "static_cast<double>(NAN)",
    "np.inf": "HUGE_VAL",
}
_DTYPES = {
    "np.int64": "long",
    "np.int32": "int",
    "np.bool_": "bool",
    "bool": "bool",
    "float": "double",
}
BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}
_FUNCTIONS = {
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "modulo",
    ast.MatMult: "matmul",
}
_COMPARISONS = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


class Expressions:
    """Expressions of one function.

    Attributes:
        of: the translator of its module.
        node: the function.
        declared: local names that are known where the expression stands.
    """

    def __init__(self, translator: Translator, node: ast.FunctionDef) -> None:
        self.of, self.node = translator, node
        self.declared = {argument.arg for argument in node.args.args}

    def expression(self, node: ast.expr | None) -> str:
        """Any expression."""
        match node:
            case ast.Constant(value=bool() as value):
                return "true" if value else "false"
            case ast.Constant(value=int() as value):
                return f"{value}L"
            case ast.Constant(value=float() as value):
                return repr(value)
            case ast.Name() | ast.Attribute():
                return self.value(node)
            case ast.Subscript():
                return self.place(node)
            case ast.BinOp():
                return self.binary(node)
            case ast.UnaryOp(op=ast.USub()):
                return f"(-{self.expression(node.operand)})"
            case ast.UnaryOp(op=ast.Not()):
                return f"(!{self.expression(node.operand)})"
            case ast.UnaryOp(op=ast.Invert()):
                return f"(~{self.expression(node.operand)})"
            case ast.BoolOp():
                sign = " && " if isinstance(node.op, ast.And) else " || "
                return f"({sign.join(self.expression(v) for v in node.values)})"
            case ast.Compare():
                return self.comparison(node)
            case ast.IfExp():
                test = self.expression(node.test)
                yes, no = self.expression(node.body), self.expression(node.orelse)
                return f"({test} ? {yes} : {no})"
            case ast.Tuple():
                items = ", ".join(self.expression(e) for e in node.elts)
                return f"std::make_tuple({items})"
            case ast.Call():
                return self.call(node)
        text = "" if node is None else ast.unparse(node)
        raise self.of.error(node or self.node, f"cannot be compiled: {text}")

    def value(self, node: ast.Name | ast.Attribute) -> str:
        """What a name stands for, or an attribute of a named tuple."""
        text = ast.unparse(node)
        if text in _VALUES:
            return _VALUES[text]
        root = text.partition(".")[0]
        if root not in self.declared and isinstance(node, ast.Name | ast.Attribute):
            found = self.of.resolve(text)
            if found and found[1] in found[0].constants:
                return self.expression(ast.Constant(found[0].constants[found[1]]))
        if isinstance(node, ast.Name):
            if node.id not in self.declared:
                raise self.of.error(node, f"{node.id} is unknown here")
            return name_of(node.id)
        inner = self.expression(node.value)
        if node.attr == "T":
            return f"backbeat::transpose({inner})"
        return f"{inner}.{name_of(node.attr)}"

    def binary(self, node: ast.BinOp) -> str:
        """An operation on two numbers or arrays."""
        left = self.expression(node.left)
        if isinstance(node.op, ast.Pow):
            if self.number(node.right) == 2:
                return f"backbeat::square({left})"
            return f"std::pow({left}, {self.expression(node.right)})"
        right = self.expression(node.right)
        if type(node.op) in BINARY:
            return f"({left} {BINARY[type(node.op)]} {right})"
        if type(node.op) in _FUNCTIONS:
            return f"backbeat::{_FUNCTIONS[type(node.op)]}({left}, {right})"
        raise self.of.error(node, f"cannot be compiled: {ast.unparse(node)}")

    def comparison(self, node: ast.Compare) -> str:
        """A comparison, or a chain of them."""
        parts, left = [], node.left
        for sign, right in zip(node.ops, node.comparators, strict=True):
            word = _COMPARISONS.get(type(sign))
            if word is None:
                raise self.of.error(node, f"cannot be compiled: {ast.unparse(node)}")
            a, b = self.expression(left), self.expression(right)
            parts.append(f"{a} {word} {b}")
            left = right
        return f"({' && '.join(parts)})"

    def place(self, node: ast.Subscript | ast.expr) -> str:
        """An entry of an array, or a part of it."""
        assert isinstance(node, ast.Subscript)
        base = self.expression(node.value)
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            if isinstance(node.slice, ast.Slice):  # shape[:2], which is unpacked
                return base
            return f"{base}[{self.expression(node.slice)}]"
        if isinstance(node.value, ast.Attribute) and node.value.attr == "content":
            return f"backbeat::item<{self.number(node.slice)}>({base})"
        written, sliced = [], False
        for axis, index in enumerate(indices):
            match index:
                case ast.Slice(lower=None, upper=None):
                    written.append("backbeat::All{}")
                case ast.Slice(upper=None):
                    written.append(f"backbeat::From{{{self.expression(index.lower)}}}")
                case ast.Slice(step=None):
                    first = self.expression(index.lower) if index.lower else "0"
                    last = self.expression(index.upper)
                    written.append(f"backbeat::Range{{{first}, {last}}}")
                case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(n))):
                    written.append(f"{base}.shape[{axis}] - {n}")
                    continue
                case _:
                    written.append(self.expression(index))
                    continue
            sliced = True
        if sliced:
            return f"backbeat::slice({base}, {', '.join(written)})"
        return f"{base}({', '.join(written)})"

    def call(self, node: ast.Call) -> str:
        """A call of a compiled function, or of one that C++ has."""
        function = ast.unparse(node.func)
        if function in ("np.empty", "np.zeros"):
            word, kind = function[3:], self.dtype(node)
            shape = node.args[0]
            if isinstance(shape, ast.Attribute) and shape.attr == "shape":
                if word == "zeros":
                    raise self.of.error(node, "np.zeros needs sizes, not a shape")
                return f"backbeat::empty_like<{kind}>({self.expression(shape.value)})"
            sizes = ", ".join(self.expression(s) for s in sizes_of(shape))
            return f"backbeat::{word}<{kind}>({sizes})"
        arguments = [self.expression(a) for a in node.args]
        if function == "np.searchsorted":
            side = any(ast.unparse(k.value) == "'right'" for k in node.keywords)
            return (
                f"backbeat::searchsorted({', '.join(arguments)}, {str(side).lower()})"
            )
        if node.keywords:
            raise self.of.error(node, "arguments are given by their place")
        if function in _MATH:
            return f"{_MATH[function]}({', '.join(arguments)})"
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
            owner = self.expression(node.func.value)
            return f"backbeat::{node.func.attr}({owner})"
        found = self.of.resolve(function)
        if found is None or function.partition(".")[0] in self.declared:
            raise self.of.error(node, f"{function} is not compiled")
        module, name = found
        self.of.used.add((module.name, name))
        words = ", ".join(arguments)
        if name in module.tuples:
            return f"{module.namespace}::{name}{{{words}}}"
        return f"{module.namespace}::{name_of(name)}({words})"

    def dtype(self, node: ast.Call) -> str:
        """Type of the entries of a new array."""
        kinds = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "dtype")]
        if not kinds:
            return "double"
        if (text := ast.unparse(kinds[0])) not in _DTYPES:
            raise self.of.error(node, f"{text} is no type of numbers")
        return _DTYPES[text]

    def number(self, node: ast.expr) -> int | None:
        """A whole number that is written or a constant."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name) and node.id not in self.declared:
            found = self.of.resolve(node.id)
            value = found and found[0].constants.get(found[1])
            return value if isinstance(value, int) else None
        return None


def sizes_of(shape: ast.expr) -> list[ast.expr]:
    """The sizes of a shape, which may be a single number."""
    return shape.elts if isinstance(shape, ast.Tuple) else [shape]
