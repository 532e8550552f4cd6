"""Finds code that reads in the sentence of an error, where it should read its fields.

A sentence is the text of an error of ours, wherever it was put: in a variable, a longer
text, or the argument of a function. What reads in it looks for something in it or cuts
something out of it. What Drake or another program says in its own errors is not meant:
it has no fields. `backbeat.models.common.errors` makes the sentences.
"""

import ast
import re
from collections import defaultdict

# Types of errors that may be ours, besides the classes that are made from the first.
BASE, BROAD = "BackbeatError", {"Exception", "BaseException"}
# What an error or a finding has its sentence in.
TEXTS = {"args", "fault", "hint", "sentence"}
# Methods of a text, or of a pattern, that look into a text.
OWN = {
    *("count", "endswith", "find", "index", "partition", "removeprefix"),
    *("removesuffix", "replace", "rfind", "rindex", "rpartition", "rsplit"),
    *("split", "startswith", "translate"),
}
PATTERNS = {"findall", "finditer", "fullmatch", "match", "search", "split", "sub"}
# Methods that give the text, changed.
SAME = {"strip", "lstrip", "rstrip", "lower", "upper", "splitlines", "join", "format"}


def error_classes(trees):
    """Names of the classes of our errors."""
    bases = {
        node.name: {ast.unparse(base) for base in node.bases}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {BASE}
    while more := {n for n, b in bases.items() if b & found} - found:
        found |= more
    return found


class Reader(ast.NodeVisitor):
    """Follows sentences through one function, or the top of a module."""

    def __init__(self, errors, given=()):
        self.errors, self.caught = errors, set()
        self.texts = set(given)
        # Lines that read, and arguments that are sentences: (function, place).
        self.lines, self.passed = set(), set()

    def is_text(self, node):
        """Whether an expression is a sentence, or has one in it."""
        if isinstance(node, ast.Name):
            return node.id in self.texts
        if isinstance(node, ast.Attribute):
            return node.attr in TEXTS and (
                self.is_error(node.value) or node.attr == "sentence"
            )
        if isinstance(node, ast.JoinedStr):
            values = [v.value for v in node.values if isinstance(v, ast.FormattedValue)]
            return any(self.is_text(v) or self.is_error(v) for v in values)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in ("str", "repr"):
                return any(self.is_error(a) or self.is_text(a) for a in node.args)
            if isinstance(node.func, ast.Attribute) and node.func.attr in SAME:
                return any(map(self.is_text, (node.func.value, *node.args)))
            return False
        if isinstance(node, ast.Subscript | ast.Starred):
            return self.is_text(node.value)
        if isinstance(node, ast.BinOp):
            return self.is_text(node.left) or self.is_text(node.right)
        if isinstance(node, ast.BoolOp):
            return any(map(self.is_text, node.values))
        return isinstance(node, ast.IfExp) and any(
            map(self.is_text, (node.body, node.orelse))
        )

    def is_error(self, node):
        return isinstance(node, ast.Name) and node.id in self.caught

    def is_ours(self, kind):
        named = {n.id for n in ast.walk(kind) if isinstance(n, ast.Name)}
        return bool(named & (self.errors | BROAD))

    def visit_FunctionDef(self, node):
        for argument in (
            *node.args.posonlyargs,
            *node.args.args,
            *node.args.kwonlyargs,
        ):
            if argument.annotation is not None and self.is_ours(argument.annotation):
                self.caught.add(argument.arg)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node):
        if node.name and node.type is not None and self.is_ours(node.type):
            self.caught.add(node.name)
        self.generic_visit(node)

    def visit_Assign(self, node):
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(target.elts, node.value.elts, strict=False)
            for name, value in pairs:
                if isinstance(name, ast.Name) and self.is_text(value):
                    self.texts.add(name.id)
        self.generic_visit(node)

    def visit_Compare(self, node):
        for operator, right in zip(node.ops, node.comparators, strict=True):
            looks = isinstance(operator, ast.In | ast.NotIn) and self.is_text(right)
            same = isinstance(operator, ast.Eq | ast.NotEq) and (
                self.is_text(node.left) or self.is_text(right)
            )
            if looks or same:
                self.lines.add(node.lineno)
        self.generic_visit(node)

    def visit_Call(self, node):
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else ""
        if name in OWN and node.args and self.is_text(function.value):
            self.lines.add(node.lineno)
        if name in PATTERNS and any(map(self.is_text, node.args)):
            self.lines.add(node.lineno)
        called = name or (function.id if isinstance(function, ast.Name) else "")
        places = [*enumerate(node.args), *((k.arg, k.value) for k in node.keywords)]
        self.passed |= {(called, place) for place, v in places if self.is_text(v)}
        self.generic_visit(node)


def readers(sources, makers=()):
    """Lines that read in a sentence, as (file, line), in order.

    Args:
        sources: text of each file.
        makers: files that make sentences, whose functions may be given one.
    """
    trees = {file: ast.parse(text) for file, text in sources.items()}
    errors = error_classes(trees.values())
    functions = defaultdict(list)
    for file, tree in trees.items():
        if file not in makers:
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef):
                    functions[node.name].append((file, node))
    found, waiting = set(), set()
    # Without one of these a function has no sentence but what it is given.
    cue = re.compile("|".join(["except", "sentence", *sorted(errors | BROAD)]))
    lines = {file: text.splitlines() for file, text in sources.items()}
    for file, node in [(f, n) for one in functions.values() for f, n in one]:
        if cue.search("\n".join(lines[file][node.lineno - 1 : node.end_lineno])):
            found |= follow(file, node, errors, (), waiting)
    done = set()
    while waiting - done:
        called, place = step = min(waiting - done, key=str)
        done.add(step)
        for file, node in functions[called]:
            names = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
            if isinstance(place, int):
                first = place + int(names[:1] in (["self"], ["cls"]))
                given = names[first : first + 1]
            else:
                given = [n for n in names if n == place]
            found |= follow(file, node, errors, given, waiting)
    return sorted(found, key=str)


def follow(file, function, errors, given, waiting):
    """Lines of a function that read in a sentence; adds what it passes on."""
    reader, before = Reader(errors, given), None
    while before != (before := (len(reader.texts), len(reader.lines))):
        reader.visit(function)
    waiting |= reader.passed
    return {(file, line) for line in reader.lines}
