"""The library of compiled functions: made once for a source, by any C++ compiler.

A wheel brings it along. A checkout makes it when its source has changed, and keeps it
under the hash of what it is made from, so that checkouts may share a folder.
"""

import ctypes
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from backbeat.models.common.errors import BackbeatError
from backbeat.models.compiled.bindings import parts_of, write_program
from backbeat.models.compiled.build_progress import BuildProgress, Count, in_words
from backbeat.models.compiled.source import read_modules, source_files

HERE = Path(__file__).parent
# What a wheel has; nothing is compiled then.
SHIPPED = HERE / "functions.so"
HEADERS = "arrays.hpp", "numbers.hpp", "python.hpp"
# Sums are worked out as they are written, and nothing is fused, so that numbers do not
# depend on the level of optimization. GCC 12 fuses with any options, unless there is
# nothing to do so.
FLAGS = (
    "-std=c++20",
    "-O3",
    "-mavx2",
    "-mno-fma",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-exceptions",
    "-fno-rtti",
    "-fPIC",
    "-Werror=float-conversion",
)
# What a library needs at most, and notes [bytes].
ROOM = 1 << 21
# How many libraries a folder keeps, of other checkouts and of yesterday.
KEPT = 12
# How often a process that waits looks [s].
POLL = 0.2
_DIGEST = hashlib.sha256().digest_size


class CompilerError(BackbeatError):
    """Compiled functions cannot be made here, and what to do."""


def load(library: str | Path | None = None) -> dict[str, Callable[..., object]]:
    """All compiled functions that Python calls, by module and name.

    Args:
        library: where they are; by default the wheel's, or else this checkout's.
    """
    if library is None:
        library = SHIPPED if SHIPPED.exists() else find_library()
    code = ctypes.PyDLL(str(library))
    code.functions.restype = ctypes.py_object
    functions: dict[str, Callable[..., object]] = code.functions()
    return functions


def find_library(root: str | Path = HERE.parents[2]) -> Path:
    """The library of the source in a folder, made now if there is none.

    Raises:
        CompilerError: there is no compiler, or it fails.
    """
    root, folder = Path(root), _folder()
    note = folder / f"{_state(root)}.source"
    if note.exists():
        library = folder / f"functions-{note.read_text('utf-8')}.so"
        if _is_whole(library):
            return library
    program = write_program(read_modules(root))
    digest = _hash(program, *_headers(), *FLAGS)
    library = folder / f"functions-{digest}.so"
    count = Count(folder / "progress")
    with (folder / "lock").open("w") as lock:
        _wait(lock, count)
        if not _is_whole(library):
            _compile(program, library, count)
            _clear(folder)
        _write(note, digest.encode())
    return library


def _wait(lock: IO[str], count: Count) -> None:
    """Waits until no other process compiles, and says so."""
    telling = BuildProgress()
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            state = count.read()
            how_far = "" if state is None else f": {in_words(*state)}"
            telling.say(
                "Waiting for another command, which compiles the numerical code once "
                f"for all{how_far}"
            )
            time.sleep(POLL)
        else:
            telling.end()
            return


def _compile(program: str, library: Path, count: Count) -> None:
    """Compiles a program, and says how far it is."""
    telling, began = BuildProgress(), time.time()

    def tell(done: int, parts: int) -> None:
        count.write(done, parts, began)
        how_far = in_words(done, parts, began)
        telling.say(f"Compiling the numerical code, once: {how_far}")

    try:
        compile_program(program, library, tell)
    finally:
        count.clear()
    telling.end()


def compile_program(
    program: str,
    library: str | Path,
    tell: Callable[[int, int], None] = lambda done, parts: None,
) -> None:
    """Compiles what `write_program` wrote.

    Args:
        program: the C++.
        library: what it becomes.
        tell: called with how many of its parts are compiled, and how many there are.

    Raises:
        CompilerError: there is no compiler, or it fails.
    """
    trouble = "none was found"
    for compiler in compilers():
        with tempfile.TemporaryDirectory() as temporary:
            made = Path(temporary, "out.so")
            error = _compile_parts(compiler, program, made, tell)
            if error is None:
                code = made.read_bytes()
                _write(Path(library), code + hashlib.sha256(code).digest())
                return
            lines = [line for line in error.splitlines() if "error" in line]
            trouble = f"{' '.join(compiler)} says: {' / '.join(lines[:3])}"
    raise CompilerError(
        "Backbeat's numerical code is compiled once, which needs a C++ compiler for "
        f"C++20, and {trouble}. On Debian and Ubuntu: apt install g++; or, without "
        "the rights to: pip install ziglang"
    )


def _compile_parts(
    compiler: list[str], program: str, made: Path, tell: Callable[[int, int], None]
) -> str | None:
    """Compiles the parts of a program, one a core at a time; what went wrong."""
    source, parts = made.with_name("functions.cpp"), parts_of(program)
    source.write_text(program, "utf-8")
    objects = [str(made.with_name(f"{part}.o")) for part in range(parts)]

    def compile_part(part: int) -> str | None:
        what = f"-DPART={part}", "-c", f"-I{HERE}", "-o", objects[part], str(source)
        return _run([*compiler, *FLAGS, *what])

    tell(0, parts)
    with ThreadPoolExecutor(min(len(os.sched_getaffinity(0)), parts)) as pool:
        running = [pool.submit(compile_part, part) for part in range(parts)]
        for done, part in enumerate(as_completed(running), 1):
            if (error := part.result()) is not None:
                pool.shutdown(cancel_futures=True)
                return error
            tell(done, parts)
    return _run([*compiler, *FLAGS, "-shared", "-o", str(made), *objects])


def _run(command: list[str]) -> str | None:
    """What a command complained about; None if it went well."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stderr


def compilers() -> Iterator[list[str]]:
    """Commands of C++ compilers that are here, the one that is asked for first."""
    asked = os.environ.get("CXX")
    for name in (asked, "g++", "clang++", "c++"):
        if name and shutil.which(name):
            yield [name]
    if find_spec("ziglang"):
        yield [sys.executable, "-m", "ziglang", "c++"]


def _headers() -> list[str]:
    return [(HERE / name).read_text("utf-8") for name in HEADERS]


def _hash(*texts: str) -> str:
    sha = hashlib.sha256()
    for text in texts:
        sha.update(text.encode() + b"\0")
    return sha.hexdigest()[:24]


def _state(root: Path) -> str:
    """Stamps by which changes of files are noticed without reading them."""
    files = [*source_files(root), *(HERE / name for name in HEADERS)]
    facts = ((str(f), f.stat().st_mtime_ns, f.stat().st_size) for f in files)
    return _hash(*map(repr, facts), *FLAGS)


def kept_in() -> list[Path]:
    """Where libraries are kept: the first of these that can be written."""
    if named := os.environ.get("BACKBEAT_COMPILED"):
        return [Path(named)]
    places = [Path.home() / ".cache" / "backbeat" / "compiled"]
    if sys.prefix != sys.base_prefix:
        places.insert(0, Path(sys.prefix, "compiled"))
    return places


def _folder() -> Path:
    places = kept_in()
    for place in places:
        try:
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=place) as trial:
                trial.write(bytes(ROOM))
            (place / "lock").touch()
        except OSError as error:
            trouble = error.strerror
        else:
            return place
    warnings.warn(
        f"compiled code cannot be kept in {' or '.join(map(str, places))} ({trouble}); "
        "every start compiles it anew; BACKBEAT_COMPILED names another folder",
        RuntimeWarning,
        stacklevel=2,
    )
    return Path(tempfile.mkdtemp(prefix="backbeat-"))


def _is_whole(library: Path) -> bool:
    """Whether a library is there and ends with the hash of all before."""
    if not library.exists():
        return False
    code = library.read_bytes()
    return hashlib.sha256(code[:-_DIGEST]).digest() == code[-_DIGEST:]


def _write(path: Path, content: bytes) -> None:
    """Writes a file that others see whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    os.replace(file.name, path)


def _clear(folder: Path) -> None:
    """Removes what is older than what is kept."""
    for pattern in ("*.so", "*.source"):
        files = sorted(folder.glob(pattern), key=lambda f: f.stat().st_mtime)
        for file in files[:-KEPT]:
            file.unlink(missing_ok=True)
