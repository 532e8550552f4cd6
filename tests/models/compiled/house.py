"""A small source tree with compiled functions, to compile and to change."""

import importlib.util
import sys

from backbeat.models.compiled.bindings import write_program
from backbeat.models.compiled.build import compile_program, load
from backbeat.models.compiled.source import read_modules

HEAD = """
from typing import NamedTuple
import numpy as np
from backbeat.models.compiled.arrays import *
from backbeat.models.compiled.bound import Bound
from backbeat.models.compiled import compiled
"""


def put_source(root, text, name="kernels"):
    """Writes a module of a source tree."""
    file = root / "backbeat" / "models" / f"{name}.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HEAD + text)
    return file


def translate(root, text):
    """The C++ of a module."""
    put_source(root, text)
    return write_program(read_modules(root))


def both(root, text):
    """A module's functions as Python has them, and as they are compiled."""
    library = root / "functions.so"
    compile_program(translate(root, text), library)
    functions = load(library)
    spec = importlib.util.spec_from_file_location(
        "house_kernels", put_source(root, text)
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["house_kernels"] = module
    spec.loader.exec_module(module)
    return module, {name.rpartition(".")[2]: f for name, f in functions.items()}
