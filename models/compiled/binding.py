"""The C++ of all compiled functions, and of those that Python calls."""

import ast
from collections.abc import Iterator, Mapping

from models.compiled.source import Module
from models.compiled.statements import translate_function
from models.compiled.words import Translator, name_of

Found = tuple[str, str]


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
    lines = ['#include "python.hpp"', ""]
    for key in _sorted(calls, modules):
        module = modules[key[0]]
        lines += [f"namespace {module.namespace} {{", bodies[key], "}", ""]
    lines += _table(modules, entries)
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


def _table(
    modules: Mapping[str, Module], entries: list[tuple[Module, ast.FunctionDef]]
) -> Iterator[str]:
    """The functions that Python calls, by name."""
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
    yield 'extern "C" PyObject* functions() {'
    for name in ("seen", "content"):
        yield f'    backbeat::{name}_name = PyUnicode_InternFromString("{name}");'
    yield "    PyObject* all = PyDict_New();"
    yield "    for (PyMethodDef& method : methods) {"
    yield "        PyObject* made = PyCFunction_NewEx(&method, nullptr, nullptr);"
    yield "        if (made == nullptr) return nullptr;"
    yield "        PyDict_SetItemString(all, method.name, made);"
    yield "        Py_DecRef(made);"
    yield "    }"
    yield "    return all;"
    yield "}"


def _entry(module: Module, function: ast.FunctionDef) -> str:
    return f"call_{module.namespace}_{function.name}"
