"""`backbeat check`: one verb for specifications, settings, robots and URDFs."""

import pytest

from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER
from backbeat.models.kit.description import FOLDER as KITS
from backbeat.models.robot.description import SHIPPED
from backbeat.mpc.sweep.specification import find_sweep
from tests.models.description.traps import TRAPS

OVERLAY = SHIPPED["atlas_hands"].with_name("atlas_hands.overlay.yaml")
SOUND = {
    "robot": SHIPPED["atlas"],
    "overlay": OVERLAY,
    "sweep": find_sweep("pushes"),
    "kit": KITS / "full_kit.yaml",
    "score": SHIPPED_FOLDER / "scores" / "full-kit.yaml",
}
# Text of a file, and the beginning of what is said of its last line.
FAULTS = {
    "scenario": ("behavior: bow\ntick_perid: 0.001\n", "unknown key"),
    "sweep": ("behaviors: [bow]\nseeds: 3\ncase: {}\n", "unknown key"),
    "task space": ("robot: ur10\nhand: left\nduratoin: 3\n", "unknown key"),
    "overlay": ("urdf: robot.urdf\nmas_factor: 2\n", "unknown key"),
}


@pytest.mark.parametrize("path", SOUND.values(), ids=SOUND)
def test_what_ships_has_no_failures(backbeat, path):
    code, out, _ = backbeat("check", path)
    assert (code, out) == (0, "0 failures, 0 warnings\n")


@pytest.mark.parametrize(("text", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_has_its_line(backbeat, tmp_path, text, said):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    code, out, _ = backbeat("check", path)
    assert code == 2
    line = text.count("\n")
    assert out.startswith(f"{path}:{line}: failure: {said}")
    assert out.endswith("1 failure, 0 warnings\n")


def test_a_file_of_no_kind_is_refused_as_a_specification(backbeat, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("nothing: known\n")
    code, out, _ = backbeat("check", path)
    assert code == 2
    assert "the key 'kind' is missing" in out


@pytest.mark.parametrize(
    ("name", "code"), [("mimic", 0), ("coulomb-window", 1), ("limits-reversed", 2)]
)
def test_a_urdf_is_checked_as_lint_does(backbeat, tmp_path, name, code):
    path = tmp_path / "robot.urdf"
    path.write_text(TRAPS[name].text)
    found, out, _ = backbeat("check", path)
    assert found == code
    assert f"[{TRAPS[name].rule}]" in out
    assert backbeat("lint", path)[:2] == (found, out)


def test_the_worst_of_several_files_decides(backbeat, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(TRAPS["coulomb-window"].text)
    code, out, _ = backbeat("check", path, "bow")
    assert code == 1
    assert out.endswith("0 failures, 0 warnings\n")
