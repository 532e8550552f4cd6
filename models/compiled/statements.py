"""Compiled Python functions in C++: every statement becomes one of C++.

A function becomes a template: what its arguments are, the call decides. A local name
is declared where it is first assigned, or before the branches that assign it, and
keeps the type of its first value. `arrays.hpp` has arrays, slices and the functions of
NumPy.
"""

import ast
from collections.abc import Iterable

from backbeat.models.compiled.expressions import BINARY, Expressions, sizes_of
from backbeat.models.compiled.scopes import Place, find_homes
from backbeat.models.compiled.words import TranslationError, Translator, name_of


def translate_function(translator: Translator, node: ast.FunctionDef) -> str:
    """A function as a template."""
    return _Function(translator, node).text()


class _Function(Expressions):
    """One function: where its names are declared, and its statements."""

    def __init__(self, translator: Translator, node: ast.FunctionDef) -> None:
        super().__init__(translator, node)
        self.lines: list[str] = []
        self.arguments = [argument.arg for argument in node.args.args]
        self.count = 0
        # By block: names that are to be declared in it.
        self.home, doubtful = find_homes(node, self.declared)
        if doubtful:
            name, where = doubtful[0]
            raise translator.error(where, f"{name} may keep a value of the turn before")
        self.returned = {
            name.id
            for part in ast.walk(node)
            if isinstance(part, ast.Return)
            for name in ast.walk(part)
            if isinstance(name, ast.Name)
        }

    def text(self) -> str:
        translator, node = self.of, self.node
        given = ", ".join(f"const auto& given_{a}" for a in self.arguments)
        inline = "" if self.arguments else "inline "
        self.lines.append(f"// {translator.module.name}.{node.name}")
        self.lines.append(f"{inline}auto {name_of(node.name)}({given}) {{")
        for argument in self.arguments:
            line = f"auto&& {name_of(argument)} = backbeat::hold(given_{argument});"
            self.lines.append(f"    {line}")
        if not any(isinstance(n, ast.Return) and n.value for n in ast.walk(node)):
            self.lines.append("    backbeat::Mark mark_;")
        self.block(node.body, (), 1)
        self.lines.append("}")
        return "\n".join(self.lines)

    # --- statements ------------------------------------------------------------------

    def say(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def block(self, body: Iterable[ast.stmt], path: Place, depth: int) -> None:
        before, waiting = set(self.declared), self.home.get(path, {})
        for statement in body:
            for name, (first, assignment) in waiting.items():
                if first is statement:
                    self.predeclare(name, assignment, depth)
            self.statement(statement, path, depth)
        self.declared = before

    def predeclare(self, name: str, stores: list[ast.stmt], depth: int) -> None:
        """Declares a name that inner blocks assign, by a value that is known here."""
        for store in stores:
            try:
                value = self.first_value(name, store)
            except TranslationError:
                continue
            self.say(depth, f"std::decay_t<decltype({value})> {name_of(name)}{{}};")
            self.declared.add(name)
            return
        raise self.of.error(stores[0], f"{name} needs a first value before the branch")

    def first_value(self, name: str, store: ast.stmt) -> str:
        match store:
            case ast.For():
                return "backbeat::Int{}"
            case ast.Assign(targets=[ast.Tuple() as target], value=value):
                position = [ast.unparse(e) for e in target.elts].index(name)
                if isinstance(value, ast.Tuple):
                    return self.expression(value.elts[position])
                return f"backbeat::item<{position}>({self.expression(value)})"
            case ast.Assign(value=value):
                return self.expression(value)
        raise self.of.error(store, f"{name} is not assigned")

    def statement(self, node: ast.stmt, path: Place, depth: int) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Assert():
                pass
            case ast.Expr():
                self.say(depth, f"{self.expression(node.value)};")
            case ast.Assign():
                for target in node.targets:
                    self.assign(target, node.value, depth)
            case ast.AugAssign():
                self.augment(node, depth)
            case ast.Return(value=None):
                self.say(depth, "return;")
            case ast.Return():
                self.say(depth, f"return {self.expression(node.value)};")
            case ast.Break():
                self.say(depth, "break;")
            case ast.Continue():
                self.say(depth, "continue;")
            case ast.If():
                self.say(depth, f"if ({self.expression(node.test)}) {{")
                self.block(node.body, (*path, id(node), 0), depth + 1)
                if node.orelse:
                    self.say(depth, "} else {")
                    self.block(node.orelse, (*path, id(node), 1), depth + 1)
                self.say(depth, "}")
            case ast.While(orelse=[]):
                self.say(depth, f"while ({self.expression(node.test)}) {{")
                self.block(node.body, (*path, id(node), 0), depth + 1)
                self.say(depth, "}")
            case ast.For(orelse=[]):
                self.loop(node, path, depth)
            case _:
                raise self.of.error(node, f"cannot be compiled: {ast.unparse(node)}")

    def loop(self, node: ast.For, path: Place, depth: int) -> None:
        match node:
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name("range"), args=bounds),
            ):
                pass
            case _:
                raise self.of.error(node, "a loop goes over a range")
        first, last, step = (
            "0",
            self.expression(bounds[-1 if len(bounds) < 2 else 1]),
            1,
        )
        if len(bounds) > 1:
            first = self.expression(bounds[0])
        if len(bounds) > 2:
            step = ast.literal_eval(bounds[2])
        end, sign = self.fresh("end"), "<" if step > 0 else ">"
        # The name may be changed in the loop, and keeps its last value after it.
        turn = self.fresh("turn")
        self.say(
            depth,
            f"for (backbeat::Int {turn} = {first}, {end} = {last}; "
            f"{turn} {sign} {end}; {turn} += {step}) {{",
        )
        if name in self.declared:
            self.say(depth + 1, f"{name_of(name)} = {turn};")
            self.block(node.body, (*path, id(node), 0), depth + 1)
        else:
            self.say(depth + 1, f"backbeat::Int {name_of(name)} = {turn};")
            self.declared.add(name)
            self.block(node.body, (*path, id(node), 0), depth + 1)
            self.declared.discard(name)
        self.say(depth, "}")

    def fresh(self, word: str) -> str:
        self.count += 1
        return f"{word}_{self.count}"

    def assign(self, target: ast.expr, value: ast.expr, depth: int) -> None:
        match target, value:
            case ast.Tuple(), ast.Tuple() if len(target.elts) == len(value.elts):
                self.assign_together(target.elts, value.elts, depth)
            case ast.Tuple(), _:
                whole = self.fresh("whole")
                self.say(depth, f"auto&& {whole} = {self.expression(value)};")
                shape = ".shape" in ast.unparse(value)
                for i, part in enumerate(target.elts):
                    item = f"{whole}[{i}]" if shape else f"backbeat::item<{i}>({whole})"
                    if ast.unparse(part) != "_":
                        self.store(part, item, depth)
            case ast.Name(id=name), ast.Call() if name not in self.declared and (
                size := self.fixed_size(name, value)
            ):
                entry, sizes, zero = size
                memory = self.fresh("memory")
                product = "*".join(sizes)
                start = "{}" if zero else ""
                self.say(depth, f"{entry} {memory}[{product}]{start};")
                inside = f"backbeat::within({memory}, {', '.join(sizes)})"
                self.store(target, inside, depth)
            case _:
                self.store(target, self.expression(value), depth)

    def assign_together(
        self, targets: list[ast.expr], values: list[ast.expr], depth: int
    ) -> None:
        new = all(
            isinstance(t, ast.Name) and t.id not in self.declared for t in targets
        )
        names = {t.id for t in targets if isinstance(t, ast.Name)}
        apart = not any(
            isinstance(n, ast.Name) and n.id in names
            for v in values
            for n in ast.walk(v)
        )
        if new and apart:
            for target, value in zip(targets, values, strict=True):
                self.assign(target, value, depth)
            return
        held = []
        for value in values:
            held.append(self.fresh("value"))
            self.say(depth, f"auto {held[-1]} = {self.expression(value)};")
        for target, name in zip(targets, held, strict=True):
            self.store(target, name, depth)

    def store(self, target: ast.expr, value: str, depth: int) -> None:
        match target:
            case ast.Name(id=name) if name not in self.declared:
                self.declared.add(name)
                self.say(depth, f"auto {name_of(name)} = {value};")
            case ast.Name(id=name):
                self.say(depth, f"{name_of(name)} = {value};")
            case ast.Tuple():
                for i, part in enumerate(target.elts):
                    self.store(part, f"backbeat::item<{i}>({value})", depth)
            case ast.Subscript():
                self.say(depth, f"{self.place(target)} = {value};")
            case _:
                raise self.of.error(target, "only names and entries are assigned")

    def augment(self, node: ast.AugAssign, depth: int) -> None:
        value = self.expression(node.value)
        if isinstance(node.target, ast.Name):
            place = name_of(node.target.id)
        else:
            place = self.place(node.target)
        if type(node.op) in BINARY:
            self.say(depth, f"{place} {BINARY[type(node.op)]}= {value};")
        elif isinstance(node.op, ast.Div):
            self.say(depth, f"{place} = backbeat::divide({place}, {value});")
        else:
            raise self.of.error(node, f"cannot be compiled: {ast.unparse(node)}")

    def fixed_size(
        self, name: str, value: ast.Call
    ) -> tuple[str, list[str], bool] | None:
        """(type, sizes, whether zeros) of a new array whose sizes are all written."""
        function = ast.unparse(value.func)
        if function not in ("np.empty", "np.zeros") or name in self.returned:
            return None
        sizes = sizes_of(value.args[0])
        written = []
        for size in sizes:
            found = self.number(size)
            if found is None:
                return None
            written.append(str(found))
        return self.dtype(value), written, function == "np.zeros"
