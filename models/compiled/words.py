"""Names of Python in C++, and what they stand for."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from backbeat.models.compiled.source import Module

# Words of C++ that are names in Python.
_TAKEN = {
    "auto", "and", "bool", "char", "const", "default", "delete", "double", "explicit",
    "float", "int", "long", "new", "not", "operator", "or", "private", "public",
    "short", "signed", "static", "struct", "switch", "template", "this", "typename",
    "union", "unsigned", "using", "virtual", "void", "register", "extern", "inline",
    "near",
    "far", "true", "false", "class", "namespace", "friend", "y0", "y1", "j0", "j1", "I",
}  # fmt: skip
# Types of entries of named tuples and of arguments; `backbeat.models.compiled.arrays`
# defines them.
KINDS = {
    "bool": "bool",
    "int": "long",
    "float": "double",
    "Vector": "backbeat::Array<double, 1>",
    "Matrix": "backbeat::Array<double, 2>",
    "Array3": "backbeat::Array<double, 3>",
    "Array4": "backbeat::Array<double, 4>",
    "Array5": "backbeat::Array<double, 5>",
    "VectorView": "backbeat::Strided<double, 1>",
    "MatrixView": "backbeat::Strided<double, 2>",
    "Array3View": "backbeat::Strided<double, 3>",
    "FlagsView": "backbeat::Strided<bool, 1>",
    "Indices": "backbeat::Array<long, 1>",
    "IndexMatrix": "backbeat::Array<long, 2>",
    "IndexArray3": "backbeat::Array<long, 3>",
    "Indices32": "backbeat::Array<int, 1>",
    "Indices32View": "backbeat::Strided<int, 1>",
    "IndexMatrix32View": "backbeat::Strided<int, 2>",
    "Flags": "backbeat::Array<bool, 1>",
    "FlagMatrix": "backbeat::Array<bool, 2>",
}


class TranslationError(ValueError):
    """A construct that compiled functions cannot use, and where it stands."""


def name_of(name: str) -> str:
    """A Python name as C++ has it."""
    return f"{name}_" if name in _TAKEN else name


@dataclass
class Translator:
    """Translates the functions of one module.

    Attributes:
        modules: all modules by name.
        module: the one.
        used: (module, name) of functions and named tuples that it has met.
    """

    modules: Mapping[str, Module]
    module: Module
    used: set[tuple[str, str]] = field(default_factory=set)

    def resolve(self, name: str) -> tuple[Module, str] | None:
        """Where a name of this module is defined; None for none of ours."""
        module, rest = self.module, name
        while True:
            head, _, tail = rest.partition(".")
            here = module.functions, module.tuples, module.constants
            if not tail and any(head in kind for kind in here):
                return module, head
            if head not in module.imports:
                return None
            source, imported = module.imports[head]
            if f"{source}.{imported}" in self.modules:
                source, imported = f"{source}.{imported}", ""
            if source not in self.modules:
                return None
            module = self.modules[source]
            rest = ".".join(part for part in (imported, tail) if part)

    def struct(self, name: str) -> str:
        """A named tuple."""
        fields = self.module.tuples[name]
        lines = [f"struct {name} {{"]
        lines += [f"    {self.kind(k)} {name_of(f)};" for f, k in fields.items()]
        names = ", ".join(map(name_of, fields))
        lines.append(f"    auto entries() {{ return std::tie({names}); }}")
        return "\n".join([*lines, "};"])

    def kind(self, node: ast.expr) -> str:
        """Type of C++ for an annotation.

        Raises:
            TranslationError: it names nothing that compiled functions can use.
        """
        text = ast.unparse(node)
        match node:
            case ast.Name() if text in KINDS:
                return KINDS[text]
            case ast.Name():
                found = self.resolve(text)
                if found and found[1] in found[0].tuples:
                    self.used.add((found[0].name, found[1]))
                    return f"{found[0].namespace}::{found[1]}"
            case ast.Subscript(value=ast.Name("tuple"), slice=ast.Tuple() as inner):
                kinds = ", ".join(self.kind(e) for e in inner.elts)
                return f"std::tuple<{kinds}>"
            case ast.Subscript(value=ast.Name("Bound"), slice=inner):
                return f"backbeat::Bound<{self.kind(inner)}>"
            case ast.Constant(value=None):
                return "void"
        raise self.error(node, f"{text} is no type of compiled functions")

    def error(self, node: ast.AST, why: str) -> TranslationError:
        """What is raised for a node."""
        line = getattr(node, "lineno", 0)
        return TranslationError(f"{self.module.name}, line {line}: {why}")
