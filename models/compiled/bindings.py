"""The C++ of all compiled functions, and of those that Python calls."""

import ast
from collections.abc import Iterator, Mapping

from backbeat.models.compiled.source import Module
from backbeat.models.compiled.statements import translate_function
from backbeat.models.compiled.words import Translator, name_of

Found = tuple[str, str]
# A program has so many parts at most, for compilers to take one each; four of them take
# a quarter more processor time than one, because they share what they call.
MOST_PARTS = 4


def is_entry(function: ast.FunctionDef) -> bool:
    """Whether Python calls a function: its arguments have types."""
    arguments = function.args.args
    return bool(arguments) and all(a.annotation is not None for a in arguments)


def write_program(modules: Mapping[str, Module]) -> str:
    """Everything that compiles, as one text of C++."""
    entries = [
        (module, function)
        for module in modules.values()
        for function in module.functions.values()
        if is_entry(function)
    ]
    bodies: dict[Found, str] = {}
    calls: dict[Found, set[Found]] = {}

    def translate(module: Module, name: str) -> None:
        if (module.name, name) in bodies:
            return
        translator = Translator(modules, module)
        if name in module.tuples:
            text = translator.struct(name)
        else:
            text = translate_function(translator, module.functions[name])
        bodies[module.name, name], calls[module.name, name] = text, translator.used
        for other, wanted in sorted(translator.used):
            translate(modules[other], wanted)

    for module, function in entries:
        translate(module, function.name)
        translator = Translator(modules, module)
        for argument in function.args.args:
            assert argument.annotation is not None
            translator.kind(argument.annotation)
        for other, wanted in sorted(translator.used):
            translate(modules[other], wanted)
    parts = _parts(modules, entries, calls, bodies)
    lines = [f"#define PARTS {max(parts.values(), default=0) + 1}"]
    lines += ['#include "python.hpp"', ""]
    for key in _sorted(calls, modules):
        module = modules[key[0]]
        lines += [f"namespace {module.namespace} {{", bodies[key], "}", ""]
    lines += _table(modules, entries, parts)
    return "\n".join(lines) + "\n"


def _sorted(
    calls: Mapping[Found, set[Found]], modules: Mapping[str, Module]
) -> Iterator[Found]:
    """What is used before what uses it."""
    done: set[Found] = set()

    def visit(key: Found) -> Iterator[Found]:
        if key not in done:
            done.add(key)
            for used in sorted(calls[key]):
                yield from visit(used)
            yield key

    keys = sorted(calls, key=lambda k: k[1] not in modules[k[0]].tuples)
    for key in keys:
        yield from visit(key)


def parts_of(program: str) -> int:
    """How many parts a program has: it is compiled once for each, with its `PART`."""
    first, _, _ = program.partition("\n")
    return int(first.removeprefix("#define PARTS "))


def _parts(
    modules: Mapping[str, Module],
    entries: list[tuple[Module, ast.FunctionDef]],
    calls: Mapping[Found, set[Found]],
    bodies: Mapping[Found, str],
) -> dict[str, int]:
    """In which part the functions of a module are that Python calls, by its name.

    What several parts call is compiled in each. So modules, the longest first, go to
    the part that is shortest with them and all that they call.
    """
    called: dict[str, set[Found]] = {}
    for module, function in entries:
        seen, keys = (
            called.setdefault(module.name, set()),
            [(module.name, function.name)],
        )
        while keys:
            key = keys.pop()
            if key not in seen:
                seen.add(key)
                keys.extend(sorted(calls[key]))

    def size(keys: set[Found]) -> int:
        return sum(len(bodies[key]) for key in sorted(keys))

    held: list[set[Found]] = [set() for _ in range(min(MOST_PARTS, len(called)))]
    parts = {}
    for name in sorted(called, key=lambda n: (-size(called[n]), n)):
        totals = [size(keys | called[name]) for keys in held]
        parts[name] = totals.index(min(totals))
        held[parts[name]] |= called[name]
    return parts


def _table(
    modules: Mapping[str, Module],
    entries: list[tuple[Module, ast.FunctionDef]],
    parts: Mapping[str, int],
) -> Iterator[str]:
    """The functions that Python calls, by name: each part puts its own into a dict."""
    last = max(parts.values(), default=0)
    for part in range(last + 1):
        yield f'extern "C" bool functions_{part}(PyObject* all);'
    for part in range(last + 1):
        own = [(m, f) for m, f in entries if parts[m.name] == part]
        yield f"#if PART == {part}"
        yield from _part(modules, own, part)
        yield "#endif"
    yield "#if PART == 0"
    yield 'extern "C" PyObject* functions() {'
    for name in ("seen", "content"):
        yield f'    backbeat::{name}_name = PyUnicode_InternFromString("{name}");'
    yield "    PyObject* all = PyDict_New();"
    for part in range(last + 1):
        yield f"    if (!functions_{part}(all)) return nullptr;"
    yield "    return all;"
    yield "}"
    yield "#endif"


def _part(
    modules: Mapping[str, Module],
    entries: list[tuple[Module, ast.FunctionDef]],
    part: int,
) -> Iterator[str]:
    """What Python calls of one part."""
    yield "namespace {"
    for module, function in entries:
        translator = Translator(modules, module)
        arguments = function.args.args
        kinds = ", ".join(
            translator.kind(a.annotation) for a in arguments if a.annotation
        )
        names = ", ".join(f'"{a.arg}"' for a in arguments)
        called = f"{module.namespace}::{name_of(function.name)}"
        yield f"PyObject* {_entry(module, function)}("
        yield "    PyObject*, PyObject* const* given, Size count) {"
        yield f"    static const char* const names[] = {{{names}}};"
        yield "    return backbeat::enter<"
        yield f"        {kinds}>("
        yield f'        "{module.name}.{function.name}", names, given, count,'
        yield f"        [](const auto&... a) {{ return {called}(a...); }},"
        yield f"        std::make_index_sequence<{len(arguments)}>());"
        yield "}"
    yield "PyMethodDef methods[] = {"
    for module, function in entries:
        name = f"{module.name}.{function.name}"
        yield f'    {{"{name}", {_entry(module, function)}, backbeat::FAST, nullptr}},'
    yield "};"
    yield "}  // namespace"
    yield ""
    yield f'extern "C" bool functions_{part}(PyObject* all) {{'
    yield "    for (PyMethodDef& method : methods) {"
    yield "        PyObject* made = PyCFunction_NewEx(&method, nullptr, nullptr);"
    yield "        if (made == nullptr) return false;"
    yield "        PyDict_SetItemString(all, method.name, made);"
    yield "        Py_DecRef(made);"
    yield "    }"
    yield "    return true;"
    yield "}"


def _entry(module: Module, function: ast.FunctionDef) -> str:
    return f"call_{module.namespace}_{function.name}"
