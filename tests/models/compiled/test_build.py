"""The library of compiled functions: made once, whole, and of the source as it is."""

import fcntl
import multiprocessing
import os
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest

from backbeat.models.compiled import build
from backbeat.models.compiled.bindings import parts_of, write_program
from backbeat.models.compiled.build_progress import BuildProgress, Count
from backbeat.models.compiled.source import read_modules
from tests.models.compiled.house import put_source

ONE = """
@compiled
def answer(x: float):
    return x + _more()

@compiled
def _more():
    return 1.0
"""


@pytest.fixture
def house(tmp_path, monkeypatch):
    folder = tmp_path / "compiled"
    monkeypatch.setenv("BACKBEAT_COMPILED", str(folder))
    put_source(tmp_path / "source", ONE)
    return tmp_path / "source"


@pytest.fixture
def compilations(monkeypatch):
    """Counts what is compiled."""
    made, compile_program = [], build.compile_program

    def count(program, library, tell):
        made.append(library)
        compile_program(program, library, tell)

    monkeypatch.setattr(build, "compile_program", count)
    return made


def ask(library):
    """What a fresh process gets."""
    script = (
        "import sys; from pathlib import Path; "
        "from backbeat.models.compiled.build import load;"
        "print(load(Path(sys.argv[1]))['backbeat.models.kernels.answer'](1.0))"
    )
    command = [sys.executable, "-c", script, str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def test_it_is_made_once(house, compilations, capsys):
    first = build.find_library(house)
    assert ask(first) == 2.0
    assert build.find_library(house) == first
    assert len(compilations) == 1
    assert capsys.readouterr().err.count("Compiling the numerical code") == 1


def test_a_change_of_what_is_called_compiles_again(house, compilations):
    before = build.find_library(house)
    put_source(house, ONE.replace("return 1.0", "return 20.0"))
    after = build.find_library(house)
    assert (ask(before), ask(after)) == (2.0, 21.0)
    # And back again nothing is compiled.
    put_source(house, ONE)
    assert build.find_library(house) == before
    assert len(compilations) == 2


def test_a_change_of_anything_else_compiles_nothing(house, compilations):
    before = build.find_library(house)
    put_source(house, ONE + "\ndef other(): return 3\n")
    assert build.find_library(house) == before
    assert len(compilations) == 1


def test_lines_above_a_compiled_function_compile_nothing(house, compilations):
    first = build.find_library(house)
    put_source(house, "\n# A comment.\n\n\ndef plain():\n    return 2.0\n" + ONE)
    assert build.find_library(house) == first
    assert len(compilations) == 1


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_a_damaged_library_is_made_again(house, compilations, damage):
    library = build.find_library(house)
    whole = library.read_bytes()
    broken = bytearray(whole[:-100] if damage == "cut" else whole)
    broken[len(whole) // 2] ^= damage == "flipped"
    library.write_bytes(broken)
    assert build.find_library(house) == library
    assert library.read_bytes() == whole
    assert len(compilations) == 2


def test_two_processes_compile_once(house, capfd):
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=build.find_library, args=(house,)) for _ in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert capfd.readouterr().err.count("Compiling") == 1


def test_whoever_waits_says_for_what_and_how_long(house, capsys, monkeypatch):
    """The lock and the count of another process, which ends while somebody waits."""
    folder = Path(os.environ["BACKBEAT_COMPILED"])
    folder.mkdir()
    count = Count(folder / "progress")
    count.write(1, 4, time.time() - 6.0)
    looked = []

    def look(seconds):
        looked.append(seconds)
        fcntl.flock(other, fcntl.LOCK_UN)

    monkeypatch.setattr(build.time, "sleep", look)
    with (folder / "lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        build.find_library(house)
    said = capsys.readouterr().err
    assert looked
    assert "Waiting for another command, which compiles" in said
    assert "1 of 4 parts, some 10 s more ... done." in said
    # It is this one's own work then, for the other compiled something else.
    assert "Compiling the numerical code, once: 0 of 1 parts, some 20 s more" in said
    assert count.read() is None


def test_a_terminal_sees_how_far_it_is():
    seen = Terminal()
    telling = BuildProgress(seen)
    for done in range(3):
        telling.say(f"{done} of 2")
    telling.end()
    shown = seen.getvalue().split("\r\x1b[K")
    assert shown == ["", "0 of 2 ... ", "1 of 2 ... ", "2 of 2 ... done.\n"]


class Terminal(StringIO):
    def isatty(self):
        return True


def test_parts_are_one_library(house, compilations):
    """More modules than parts: every function is in one of them."""
    for number in range(7):
        put_source(house, ONE, f"kernels{number}")
    library = build.find_library(house)
    assert parts_of(write_program(read_modules(house))) == 4
    script = (
        "import sys; from backbeat.models.compiled.build import load; "
        "f = load(sys.argv[1]);"
        "print(sorted(n for n in f), {f[n](1.0) for n in f})"
    )
    command = [sys.executable, "-c", script, str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.count(".answer") == 8
    assert "{2.0}" in done.stdout


def test_where_nothing_can_be_kept_it_works_all_the_same(house, monkeypatch):
    monkeypatch.setenv("BACKBEAT_COMPILED", "/proc/compiled")
    with pytest.warns(RuntimeWarning, match="cannot be kept in /proc/compiled"):
        library = build.find_library(house)
    assert ask(library) == 2.0


def test_without_a_compiler_one_sentence_says_what_to_do(house, monkeypatch):
    monkeypatch.setattr(build, "compilers", lambda: iter(()))
    with pytest.raises(build.CompilerError, match=r"none was found\. .* apt install"):
        build.find_library(house)


def test_a_compiler_that_fails_is_quoted(house, monkeypatch, tmp_path):
    bad = tmp_path / "c++"
    bad.write_text("#!/bin/sh\necho 'error: too old' >&2; exit 1\n")
    bad.chmod(0o755)
    monkeypatch.setattr(build, "compilers", lambda: iter([[str(bad)]]))
    with pytest.raises(build.CompilerError, match="says: error: too old"):
        build.find_library(house)
    assert not list(Path(os.environ["BACKBEAT_COMPILED"]).glob("*.so"))


def test_only_so_many_are_kept(house, monkeypatch):
    monkeypatch.setattr(build, "KEPT", 2)

    def write(program, library, tell):
        library.write_bytes(b"")

    monkeypatch.setattr(build, "compile_program", write)
    for number in range(4):
        put_source(house, ONE.replace("1.0", f"{number}.0"))
        build.find_library(house)
    assert len(list(Path(os.environ["BACKBEAT_COMPILED"]).glob("*.so"))) == 2


def test_the_source_says_the_same_in_every_process(house):
    program = write_program(read_modules(house))
    script = (
        "import sys; from pathlib import Path;"
        "from backbeat.models.compiled.bindings import write_program;"
        "from backbeat.models.compiled.source import read_modules;"
        "print(write_program(read_modules(Path(sys.argv[1]))), end='')"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", script, str(house)],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        )
        assert done.stdout == program
