"""The distribution, the lock, the command's start and the doctor."""

import ctypes
import importlib
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from backbeat.cli import doctor, main
from backbeat.models.compiled.build import compilers, find_library

CHECKOUT = Path(__file__).parents[1]
PACKAGES = ["models", "optimization", "behaviors", "mpc"]
BACKBEAT = [Path(sysconfig.get_path("scripts")) / "backbeat"]


def run(command, **settings):
    """Runs a command to its end and returns what it said."""
    return subprocess.run(
        command, capture_output=True, text=True, check=False, **settings
    )


def environment(**changes):
    """This process's environment without a search path of the user's own."""
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    return kept | changes


# --- the distribution ----------------------------------------------------------------


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_come_from_this_checkout(name):
    package = importlib.import_module(f"backbeat.{name}")
    assert Path(package.__file__).resolve() == CHECKOUT / name / "__init__.py"


# A compiler without optimization, which takes two thirds of the time and decides
# nothing here; and, of every day, one that knows what is compiled for this checkout.
PLAIN = """#!/bin/sh
exec {} "$@" -O0
"""
KNOWN = """#!/bin/sh
library=
while [ $# -gt 0 ]; do
  case "$1" in -o) out=$2 ;; -shared) library=yes ;; esac
  shift
done
if [ "$library" ]; then head -c -32 {} >"$out"; else : >"$out"; fi
"""


@pytest.fixture(
    scope="module",
    params=["known", pytest.param("compiled", marks=pytest.mark.slow)],
)
def wheel(request, tmp_path_factory):
    """A wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    plain = folder / "plain"
    if request.param == "known":
        plain.write_text(KNOWN.format(shlex.quote(str(find_library(CHECKOUT)))))
    else:
        plain.write_text(PLAIN.format(shlex.join(next(compilers()))))
    plain.chmod(0o755)
    built = run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=CHECKOUT,
        env=os.environ | {"CXX": str(plain)},
    )
    assert built.returncode == 0, built.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_wheel_holds_the_package_with_its_data_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())

    packed = {name for name in names if ".dist-info/" not in name}
    here = {
        Path("backbeat", path.relative_to(CHECKOUT / root)).as_posix()
        for root in (".", "backbeat")
        for package in (PACKAGES if root == "." else ["."])
        for path in (CHECKOUT / root / package).rglob("*")
        if path.is_file() and not is_left_by_a_tool(path)
    }
    assert packed == here | {"backbeat/models/compiled/functions.so"}
    kinds = {Path(name).suffix for name in packed}
    assert kinds >= {".py", ".urdf", ".yaml", ".xml", ".gltf"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_platform_tag_of_the_wheel_says_which_glibc_it_needs(wheel):
    tag = re.fullmatch(
        r"backbeat-[\d.]+-py3-none-manylinux_2_(\d+)_x86_64\.whl", wheel.name
    )
    library = zipfile.ZipFile(wheel).read("backbeat/models/compiled/functions.so")
    needed = [int(minor) for minor in re.findall(rb"\bGLIBC_2\.(\d+)", library)]
    assert needed
    assert max(needed) <= int(tag[1])


def test_a_wheel_runs_beside_modules_of_the_same_plain_names(wheel, tmp_path):
    site, own = tmp_path / "site", tmp_path / "own"
    zipfile.ZipFile(wheel).extractall(site)
    own.mkdir()
    for name, kind in zip(PACKAGES, ["module", "package"] * 2, strict=True):
        plant(own, name, kind)
    script = (
        "import models, mpc, behaviors, optimization\n"
        "from backbeat.models.robot.model import RobotModel\n"
        "import backbeat.mpc.simulation.simulate, backbeat.cli.main\n"
        "assert models.OWN and mpc.OWN and behaviors.OWN and optimization.OWN\n"
        "print(RobotModel('atlas').num_joints, backbeat.__file__)"
    )
    result = run(
        [sys.executable, "-c", script],
        cwd=own,
        env=environment(PYTHONPATH=f"{own}{os.pathsep}{site}"),
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"30 {site / 'backbeat' / '__init__.py'}\n"


def test_no_module_is_loaded_under_two_names():
    script = (
        "import collections, pathlib, pkgutil, importlib, sys, backbeat\n"
        "skipped = ('__main__', 'wheel', 'drake_worker')\n"
        "for m in pkgutil.walk_packages(backbeat.__path__, 'backbeat.'):\n"
        "    if not m.name.endswith(skipped): importlib.import_module(m.name)\n"
        "names = collections.defaultdict(set)\n"
        "for name, module in list(sys.modules.items()):\n"
        "    file = getattr(module, '__file__', None)\n"
        "    if file: names[pathlib.Path(file).resolve()].add(name)\n"
        f"places = {[str(CHECKOUT / name) for name in (*PACKAGES, 'backbeat')]!r}\n"
        "ours = [n for f, n in names.items()"
        " if any(f.is_relative_to(place) for place in places)]\n"
        "print(len(ours) > 600, [n for n in ours if len(n) > 1])"
    )
    result = run([sys.executable, "-c", script], cwd=CHECKOUT)
    assert result.stdout == "True []\n", result.stderr


def is_left_by_a_tool(path):
    """Whether git would ignore the file: caches, and what editors put down."""
    return "__pycache__" in path.parts or path.suffix in {".pyc", ".nbi", ".nbc"}


def test_metadata_says_which_pythons():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    assert not [line for line in project["classifiers"] if "Private" in line]
    assert project["requires-python"] == ">=3.11,<3.15"


# --- the lock ------------------------------------------------------------------------


def locked():
    """Name of each locked package with its line and hashes."""
    text = (CHECKOUT / "requirements.lock").read_text()
    logical = text.replace("\\\n", " ").splitlines()
    lines = [line for line in logical if line and not line.lstrip().startswith("#")]
    return {line.split("==")[0]: line for line in lines}


def test_lock_pins_and_hashes_every_package_once():
    text = (CHECKOUT / "requirements.lock").read_text()
    assert len(locked()) == len(re.findall(r"^[\w.-]+==", text, re.MULTILINE))
    for name, line in locked().items():
        assert re.match(r"[\w.-]+==[\w.]+ ", line), name
        assert "--hash=sha256:" in line, name


def test_lock_names_no_place():
    text = (CHECKOUT / "requirements.lock").read_text()
    for sign in ("://", "--index-url", "--find-links", "-e ", " /", "file:"):
        assert sign not in text


def test_lock_meets_what_pyproject_asks():
    from packaging.requirements import Requirement

    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    asked = settings["project"]["dependencies"] + settings["dependency-groups"]["dev"]
    for requirement in map(Requirement, asked + settings["build-system"]["requires"]):
        line = locked()[requirement.name]
        version = line.split("==")[1].split()[0]
        assert requirement.specifier.contains(version), line.split()[0]
        assert ";" not in line, f"{requirement.name} is not for every machine"


# --- make ----------------------------------------------------------------------------


def make(*words):
    """Runs make in this checkout, free of a surrounding make's settings."""
    settings = {"MAKEFLAGS": "", "MAKELEVEL": "0", "MFLAGS": ""}
    return run(["make", *words], cwd=CHECKOUT, env=environment(**settings))


def test_make_lists_what_there_is():
    result = make()
    assert result.returncode == 0
    for target in ("demo", "test", "lint", "browser", "verify", "bench", "clean"):
        assert f"make {target} " in result.stdout


def test_make_keeps_its_hands_off_a_folder_that_it_did_not_make(tmp_path):
    precious = tmp_path / "thesis.tex"
    precious.touch()
    result = make("environment", f"VENV={tmp_path}", f"PYTHON={sys.executable}")
    assert result.returncode != 0
    assert f"{tmp_path} holds files that make did not put there" in result.stderr
    assert list(tmp_path.iterdir()) == [precious]


@pytest.mark.parametrize(
    ("script", "remedy"),
    [
        (None, "apt install python3 python3-venv"),
        ("import sys; sys.version_info = (3, 10)", "needs Python 3.11 to 3.14"),
        ("import platform; platform.machine = lambda: 'armv7l'", "Linux x86_64"),
        ("import platform; platform.libc_ver = lambda: ('', '')", "glibc 2.34"),
        ("import sys; sys.modules['ensurepip'] = None", "apt install python3-venv"),
        ("import sys; sys.modules['ctypes'] = None", "apt install libglib2.0-0"),
    ],
)
def test_make_says_what_a_machine_lacks_before_it_installs(tmp_path, script, remedy):
    python = tmp_path / "python"
    if script:
        (tmp_path / "sitecustomize.py").write_text(script)
        python.write_text(
            f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n'
        )
        python.chmod(0o755)
    result = make("environment", f"VENV={tmp_path / 'venv'}", f"PYTHON={python}")
    assert result.returncode != 0
    assert remedy in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "venv").exists()


def test_the_script_for_a_clean_clone_can_be_run():
    assert os.access(CHECKOUT / ".ci" / "run", os.X_OK)


# --- the command ---------------------------------------------------------------------


def test_help_imports_nothing_heavy():
    heavy = (
        "pydrake",
        "pandas",
        "numpy",
        "scipy",
        "matplotlib",
        "pyarrow",
    )
    script = (
        "import sys, backbeat.cli.main as main\n"
        "try: main.app(['--help'])\n"
        "except SystemExit: pass\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    result = run([sys.executable, "-c", script], cwd=CHECKOUT)
    assert result.stdout.splitlines()[-1] == "[]", result.stdout + result.stderr


def test_help_answers_within_half_a_second():
    # On a busy machine the clock also counts what others do.
    def spent():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    seconds = []
    for _ in range(5):
        start = spent()
        result = run([*BACKBEAT, "--help"], env=environment())
        seconds.append(spent() - start)
        assert result.returncode == 0
        assert "doctor" in result.stdout
    assert min(seconds) < 0.5


EXPLAIN = """
import contextlib, io, json, sys
from backbeat.cli import main
told = {}
for name in main.SUBCOMMANDS:
    sys.argv = ["backbeat", name, "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        try:
            main.main()
        except SystemExit as ended:
            told[name] = [ended.code, said.getvalue()]
print(json.dumps(told))
"""


def test_every_subcommand_loads_and_explains_itself():
    result = run([sys.executable, "-c", EXPLAIN], env=environment(), cwd=CHECKOUT)
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert list(told) == list(main.SUBCOMMANDS)
    for name, (code, said) in told.items():
        assert not code, name
        assert main.SUBCOMMANDS[name][:40] in said


@pytest.mark.slow
@pytest.mark.parametrize("name", main.SUBCOMMANDS)
def test_every_subcommand_loads_alone(name):
    result = run([*BACKBEAT, name, "--help"], env=environment())
    assert result.returncode == 0, result.stderr
    assert main.SUBCOMMANDS[name][:40] in result.stdout


def test_a_misspelled_subcommand_is_answered_with_the_right_one():
    result = run([*BACKBEAT, "docter"], env=environment())
    assert result.returncode == 2
    assert "Did you mean 'doctor'" in result.stderr


def test_version():
    result = run([*BACKBEAT, "--version"], env=environment())
    assert result.stdout == "backbeat 0.1.0\n"


def plant(folder, name, kind):
    """Writes a module or package of a user's own."""
    if kind == "module":
        (folder / f"{name}.py").write_text("OWN = True\n")
        return
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text("OWN = True\n")


def test_a_start_from_a_folder_with_another_models(tmp_path):
    plant(tmp_path, "models", "package")
    # The script never looks into the current folder, `python -m` looks there first.
    module = [sys.executable, "-m", "backbeat.cli.main"]
    for command in (BACKBEAT, module):
        found = run([*command, "doctor", "--json"], cwd=tmp_path, env=environment())
        assert "findings" in json.loads(found.stdout)


def test_a_mistake_of_the_user_is_one_sentence_without_traceback(monkeypatch, capsys):
    from backbeat.models.common.errors import BackbeatError

    def fail():
        raise BackbeatError("no behavior is called 'polka'")

    monkeypatch.setattr(main, "app", fail)
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == "backbeat: no behavior is called 'polka'.\n"


def test_a_mistake_of_ours_keeps_its_traceback(monkeypatch):
    def fail():
        raise ZeroDivisionError

    monkeypatch.setattr(main, "app", fail)
    with pytest.raises(ZeroDivisionError):
        main.main()


# --- the doctor ----------------------------------------------------------------------


def test_doctor_finds_this_machine_ready():
    result = run([*BACKBEAT, "doctor", "--json"], env=environment())
    report = json.loads(result.stdout)
    lacking = [line for line in report["findings"] if not line["ok"]]
    assert not [line for line in lacking if line["required"]], lacking
    assert report["ready"] is True
    assert result.returncode == 0
    names = {line["name"] for line in report["findings"]}
    assert names >= {
        "Python",
        "glibc",
        "drake",
        "C++ compiler",
        "daqp",
        "libglib",
        "Chromium",
    }
    assert all(bool(line["remedy"]) != line["ok"] for line in report["findings"])


def test_doctor_table_tells_what_is_lacking_and_how_to_get_it(monkeypatch, capsys):
    findings = [
        doctor.finding("drake", True, "1.2.3", "never shown"),
        doctor.finding("libglib", False, "missing", "apt install it"),
        doctor.finding("ffmpeg", False, "missing", "if you like", required=False),
    ]
    monkeypatch.setattr(doctor, "examine", lambda: findings)
    with pytest.raises(doctor.typer.Exit) as ended:
        doctor.command()
    assert ended.value.exit_code == 1
    said = capsys.readouterr().out
    assert "never shown" not in said
    assert "apt install it" in said
    assert "Not ready: see libglib above." in said


def test_doctor_is_content_without_optional_things(monkeypatch):
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    findings = [doctor.chromium(), doctor.ffmpeg()]
    assert [line.ok or line.required for line in findings] == [False, False]
    monkeypatch.setattr(doctor, "examine", lambda: findings)
    with pytest.raises(doctor.typer.Exit) as ended:
        doctor.command(as_json=True)
    assert ended.value.exit_code == 0


def no_glib(name):
    raise OSError(f"{name}: cannot open shared object file")


def old_python(monkeypatch):
    monkeypatch.setattr(doctor.sys, "version_info", (3, 10, 2))


def other_processor(monkeypatch):
    monkeypatch.setattr(doctor.platform, "machine", lambda: "aarch64")


def old_glibc(monkeypatch):
    monkeypatch.setattr(doctor.platform, "libc_ver", lambda: ("glibc", "2.31"))


def other_c_library(monkeypatch):
    monkeypatch.setattr(doctor.platform, "libc_ver", lambda: ("", ""))


def missing_glib(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", no_glib)


def drake_without_glib(monkeypatch):
    said = "ImportError: libglib-2.0.so.0: cannot open shared object file"
    failed = subprocess.CompletedProcess([], 1, stdout="", stderr=f"...\n{said}\n")
    monkeypatch.setattr(doctor.subprocess, "run", lambda *_, **__: failed)


def crashing_drake(monkeypatch):
    failed = subprocess.CompletedProcess([], -4, stdout="", stderr="")
    monkeypatch.setattr(doctor.subprocess, "run", lambda *_, **__: failed)


def full_disk(monkeypatch):
    usage = doctor.shutil.disk_usage("/")._replace(free=2**20)
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda folder: usage)


def no_free_port(monkeypatch):
    monkeypatch.setattr(doctor, "MESHCAT_PORTS", range(7000, 7000 + 1))

    def refuse(self, address):
        raise OSError("in use")

    monkeypatch.setattr(doctor.socket.socket, "bind", refuse)


def locked_cache(monkeypatch):
    monkeypatch.setenv("BACKBEAT_COMPILED", "/proc/compiled")


@pytest.mark.parametrize(
    ("illness", "examine", "remedy"),
    [
        (old_python, doctor.python_version, "3.11 to 3.14"),
        (other_processor, doctor.architecture, "x86_64"),
        (old_glibc, doctor.glibc, "newer system"),
        (other_c_library, doctor.glibc, "newer system"),
        (missing_glib, doctor.glib, "apt install libglib2.0-0"),
        (drake_without_glib, doctor.drake_import, "apt install libglib2.0-0"),
        (crashing_drake, doctor.drake_import, "environment again"),
        (full_disk, lambda: doctor.free_disk(Path("/")), "free 1 GB"),
        (no_free_port, doctor.meshcat_port, "other Meshcat servers"),
        (locked_cache, doctor.compiled_code, "BACKBEAT_COMPILED"),
    ],
)
def test_doctor_has_a_remedy(monkeypatch, illness, examine, remedy):
    illness(monkeypatch)
    line = examine()
    assert not line.ok
    assert line.required
    assert remedy in line.remedy


def test_doctor_compares_libraries_with_what_the_package_asks(monkeypatch):
    asked = ["drake>=1.51.1", "numpy>=2.4", "no-such-library>=1"]
    asked += ['distributed>=2026.8; extra == "cluster"']
    versions = {"drake": "1.40.0", "numpy": "2.5.1"}

    def version(name):
        try:
            return versions[name]
        except KeyError:
            raise doctor.importlib.metadata.PackageNotFoundError(name) from None

    monkeypatch.setattr(doctor.importlib.metadata, "requires", lambda name: asked)
    monkeypatch.setattr(doctor.importlib.metadata, "version", version)
    old, good, missing = doctor.libraries()
    assert (old.ok, good.ok, missing.ok) == (False, True, False)
    assert "drake>=1.51.1 is needed" in old.remedy
    assert missing.found == "not installed"
