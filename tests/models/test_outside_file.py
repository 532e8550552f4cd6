"""Files from outside: regular, of bounded size, and opened in one way alone."""

import ast
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from backbeat.models.common.bounds import BYTES
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_file, is_there, read_bytes, read_text

ROOT = Path(__file__).parents[2]
PACKAGES = ("models", "optimization", "behaviors", "mpc", "backbeat")
# What opens a file by its name, as a method or function.
OPENERS = {
    *("open", "read_text", "read_bytes", "read_table", "read_schema", "read_parquet"),
    *("ParquetFile", "MidiFile", "AddModels", "Collada", "fromfile", "loadtxt"),
    *("genfromtxt", "memmap", "read_csv", "ZipFile", "read_pickle", "read_json"),
}
# Where something else is opened than a file from outside: ours, or one to write; or
# where what is opened was looked at by `backbeat.models.common.outside_file` before.
OTHERS = {
    "models/common/outside_file.py": {"open"},
    "models/common/atomic_file.py": {"open"},
    "models/compiled/build.py": {"open", "read_bytes", "read_text"},
    "models/compiled/build_progress.py": {"read_text"},
    "models/compiled/source.py": {"read_text"},
    "models/compiled/wheel.py": {"read_bytes"},
    "behaviors/adoption/adopting.py": {"read_text"},
    "models/urdf/checks/support_table.py": {"open"},
    "models/urdf/linting/drake_worker.py": {"AddModels"},
    "models/robot/loading.py": {"AddModels"},
    "behaviors/building/build_key.py": {"read_bytes"},
    "behaviors/library/row_table.py": {"open"},
    "models/meshing/collada_archive.py": {"open"},
    "behaviors/takes/readers/archive.py": {"open"},
    "mpc/remote/link.py": {"open"},
    "mpc/remote/controller.py": {"open"},
    "mpc/remote/controller_link.py": {"open"},
    "mpc/runs/origin.py": {"read_text"},
    "mpc/simulation/loop_processes.py": {"open"},
    "mpc/simulation/running_loop.py": {"open"},
    "backbeat/cli/main.py": {"open"},
    "backbeat/stage/recording/film.py": {"open"},
    "backbeat/stage/web/page.py": {"read_text"},
}
# Readers of what is given to them, which is bytes or an open file.
GIVEN = ("BytesIO", "file", "source", "type")
# Those of `models`, and of a message, which are imported by name.
GIVEN_TO = ("read_text", "read_bytes", "read_schema", "read_table")


def openers(path):
    """Names of calls in a module that open a file by its name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        name = getattr(function, "attr", getattr(function, "id", ""))
        first = ast.unparse(node.args[0]) if node.args else ""
        named = [k.arg for k in node.keywords]
        if name not in OPENERS or first.startswith("io.BytesIO"):
            continue
        if first.startswith(GIVEN) or any(k in GIVEN for k in named):
            continue
        if isinstance(function, ast.Name) and name in GIVEN_TO:
            continue
        yield name


def test_no_module_opens_files_from_outside_in_another_way():
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            place = path.relative_to(ROOT).as_posix()
            names = set(openers(path)) - OTHERS.get(place, set())
            if names:
                found[place] = names
    assert found == {}


def test_the_search_for_openers_finds_them(tmp_path):
    path = tmp_path / "a.py"
    path.write_text(
        "Path(p).read_text()\nopen(p)\npq.read_table(p)\nread_text(p)\n"
        "pq.read_table(file)\nMidiFile(file=x)\np.open('rb')\n"
    )
    assert sorted(openers(path)) == ["open", "open", "read_table", "read_text"]


@pytest.fixture
def others(tmp_path):
    """What has a name and is no regular file, by what it is."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    (tmp_path / "nowhere").symlink_to(tmp_path / "none")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        yield {
            "it is a pipe": tmp_path / "fifo",
            "it is a device": tmp_path / "zero",
            "Is a directory": tmp_path / "folder",
            "No such file": tmp_path / "nowhere",
            "Too many levels": tmp_path / "circle",
            "it is a socket": tmp_path / "socket",
            "File name too long": tmp_path / ("a" * 5000),
            "null byte": tmp_path / "a\0b",
            "surrogates not allowed": tmp_path / "a\udcff\ud800b",
        }


def test_only_regular_files_are_opened(others):
    for what, path in others.items():
        with pytest.raises(BackbeatError, match=what) as caught:
            read_bytes(path, "YAML")
        assert len(str(caught.value)) < 500
        str(caught.value).encode()
        assert not is_file(path)
    assert is_there(others["it is a pipe"])


def test_a_file_has_at_most_the_size_of_its_kind(tmp_path):
    for kind, most in BYTES.items():
        path = tmp_path / "sparse"
        with path.open("wb") as file:
            file.truncate(most + 1)
        with pytest.raises(BackbeatError, match=r"larger than .* MB"):
            read_bytes(path, kind)


def test_links_to_files_are_followed(tmp_path):
    (tmp_path / "a").write_text("text\r\n")
    (tmp_path / "b").symlink_to("a")
    assert read_text(tmp_path / "b") == "text\r\n"


def test_a_mark_of_byte_order_is_no_part_of_a_text(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfname: x\n")
    assert read_text(tmp_path / "a") == "name: x\n"
    (tmp_path / "b").write_bytes("name: x".encode("utf-16"))
    with pytest.raises(BackbeatError, match="not text in UTF-8"):
        read_text(tmp_path / "b")


COMMANDS = [
    *(["build", "{}.yaml"], ["check", "{}.yaml"], ["build", "{}.mid"]),
    *(["build", "{}.tab"], ["sweep", "{}.yaml"], ["lint", "--no-drake", "{}.urdf"]),
    *(["model", "{}.yaml"], ["report", "{}.run.parquet"]),
    ["track", "stand", "--scenario", "{}.yaml"],
]


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_commands_neither_wait_for_pipes_nor_read_devices(words, tmp_path):
    ending = words[-1].removeprefix("{}")
    for make in (os.mkfifo, lambda p: p.symlink_to("/dev/zero"), sparse):
        path = tmp_path / f"a{ending}"
        path.unlink(missing_ok=True)
        make(path)
        command = [sys.executable, "-m", "backbeat.cli.main", *words[:-1], str(path)]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, cwd=ROOT
        )
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr


def sparse(path):
    with path.open("wb") as file:
        file.truncate(6_000_000_000)
