"""Whatever a file holds, lint ends with findings or one sentence, and never hangs."""

import time
from pathlib import Path

import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.linting.lint import lint

MODELS = Path(__file__).parents[3] / "models"
# Longest time that lint may take without Drake, on a busy machine [s].
PATIENCE = 5.0


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
