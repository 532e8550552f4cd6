"""Whatever a file holds, lint ends with findings or one sentence, and never hangs."""

import random
import time
from collections import Counter
from pathlib import Path

import pytest

from models.description.drake_reader import DrakeReader
from models.description.lint import lint
from models.description.mending import mend
from models.errors import BackbeatError
from tests.models.description.mutations import mutated

MODELS = Path(__file__).parents[3] / "models"
# Descriptions that are mutated, and how often each is among a hundred.
SOURCES = {
    Path(__file__).parent / "zoo.urdf": 60,
    Path(__file__).parents[1] / "data" / "ur10.urdf": 20,
    MODELS / "kit" / "stick.urdf": 10,
    MODELS / "atlas" / "atlas_v5.urdf": 10,
}
# Longest time that lint may take without Drake, on a busy machine [s].
PATIENCE = 5.0


def mutations(seed, number):
    """Paths of descriptions with the texts that became of them."""
    random_ = random.Random(seed)
    raw = {path: path.read_bytes() for path in SOURCES}
    for path in random_.choices([*SOURCES], [*SOURCES.values()], k=number):
        yield path, mutated(raw[path], random_)


def place(source, tmp_path):
    """Where a mutation of a description goes, with the same meshes beside it."""
    folder = tmp_path / source.stem
    folder.mkdir(exist_ok=True)
    meshes = source.parent / "meshes"
    if meshes.is_dir() and not (folder / "meshes").exists():
        (folder / "meshes").symlink_to(meshes)
    return folder / "mutated.urdf"


def end_of(path, reader):
    """How lint of a file ends: an exit code, Drake's outcome, or a refusal."""
    try:
        report = lint(path, reader, for_gazebo=True)
        mend(path)
    except BackbeatError as error:
        return "refused in one line" if "\n" not in str(error) else str(error)
    assert report.exit_code in (0, 1, 2)
    assert not any("\n" in finding.sentence(path) for finding in report.findings)
    return report.drake.outcome if report.drake else report.exit_code


def lint_all(tmp_path, seed, number, reader=None):
    """Lints mutations; counts of how they ended, and the longest time [s]."""
    ended, longest = Counter(), 0.0
    for source, raw in mutations(seed, number):
        path = place(source, tmp_path)
        path.write_bytes(raw)
        started = time.monotonic()
        ended[end_of(path, reader)] += 1
        longest = max(longest, time.monotonic() - started)
    return ended, longest


def test_three_hundred_mutations_are_told_or_refused(tmp_path):
    ended, longest = lint_all(tmp_path, seed=1, number=300)
    assert set(ended) <= {0, 1, 2, "refused in one line"}
    assert ended[2] > 100
    assert longest < PATIENCE


@pytest.mark.slow
def test_ten_thousand_mutations_neither_crash_nor_hang(tmp_path):
    with DrakeReader() as reader:
        ended, longest = lint_all(tmp_path, seed=2, number=10_000, reader=reader)
        starts = reader.starts
    print(dict(ended), f"{starts} processes, {longest:.2f} s the longest")
    known = {"read", "refused", "exits", "aborts", "hangs", "refused in one line"}
    assert set(ended) <= known
    assert ended["read"] > 1000
    # One that Drake hangs on is followed by one that waits for a new process.
    assert longest < 4 * PATIENCE


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "not valid XML"),
        (b"<robot", "line 1: not valid XML"),
        (b'<robot name="r"><link', "not valid XML"),
        (b"<sdf><model/></sdf>", "SDFormat and not URDF"),
        (b"<mujoco/>", "MJCF and not URDF"),
        (b"<html/>", "the outermost element of a URDF is <robot>"),
        (b'<!DOCTYPE r [<!ENTITY a "b">]><robot name="&a;"/>', "document type"),
        (
            b'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
            b'<robot name="r">&a;</robot>',
            "document type",
        ),
        (b"<robot>" * 70 + b"</robot>" * 70, "nested more than 60 deep"),
        (b"<robot>" * 9999, "not valid XML"),
        (b"\x00" * 99, "not valid XML"),
        (b"<robot><!-- a\n -- b --></robot>", "not valid XML, Double hyphen"),
        (b"<robot>" + b" " * 10_000_001 + b"</robot>", "larger than 10 MB"),
    ],
)
def test_what_is_no_urdf_is_refused(tmp_path, raw, sentence):
    path = tmp_path / "robot.urdf"
    path.write_bytes(raw)
    with pytest.raises(BackbeatError, match=sentence) as refusal:
        lint(path)
    assert "\n" not in str(refusal.value)


def test_entities_do_not_grow(tmp_path):
    """Each entity is ten of the one before; read out, the last would be 3e12 long."""
    steps = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(12))
    for use in ('name="&e12;"/>', 'name="r">&e12;</robot>'):
        path = tmp_path / "robot.urdf"
        path.write_text(f'<!DOCTYPE r [<!ENTITY e0 "lol">{steps}]><robot {use}')
        started = time.monotonic()
        with pytest.raises(BackbeatError):
            lint(path)
        assert time.monotonic() - started < PATIENCE


def test_a_file_of_xacro_is_refused_with_the_command_to_run(tmp_path):
    path = tmp_path / "robot.urdf.xacro"
    path.write_text("<robot/>")
    with pytest.raises(BackbeatError, match=r"xacro robot.urdf.xacro > robot.urdf"):
        lint(path)
