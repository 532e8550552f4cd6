"""The examples of the page on recordings are dances, and say the same."""

import re
from pathlib import Path

import pytest

from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.retargeting.skeleton_map import load_map
from backbeat.behaviors.specification.checking import check_specification
from backbeat.behaviors.specification.kinds import parse_specification
from tests.behaviors.recordings import careless_sway, write

PAGE = (Path(__file__).parents[2] / "docs" / "recordings.md").read_text()
MAP, DANCE = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
_, PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path):
    write(careless_sway(make_robot("atlas", (), Mount())), tmp_path / "take.csv")
    return tmp_path


def test_the_dance_has_no_failure(folder):
    found = check_specification(DANCE, folder / "mine.yaml")
    assert not [f for f in found if f.finding.fails]
    assert found


def test_the_code_makes_the_same_recording(capsys):
    exec(PYTHON, {})
    made = parse_specification(capsys.readouterr().out, "mine.yaml")
    assert made.recordings == parse_specification(DANCE, "mine.yaml").recordings


def test_every_key_is_there():
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    named = set(re.findall(r"`(\w+)", " ".join(rows)))
    assert named >= set(RecordingDescription.__dataclass_fields__)


def test_the_map_of_a_skeleton_is_whole(tmp_path):
    (tmp_path / "studio.yaml").write_text(MAP)
    parts = load_map(tmp_path / "studio.yaml").parts()
    assert parts["trunk"] == "Chest4"
    assert parts["right wrist"] == "RightWrist"
