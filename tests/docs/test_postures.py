"""The examples of the page on postures do what it says, and its words are all."""

import re
from pathlib import Path

from backbeat.behaviors.posture.words import DIRECTIONS, FARTHEST, SUPPORTS, TURNS
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.models.robot.model import RobotModel

PAGE = (Path(__file__).parents[2] / "docs" / "postures.md").read_text()
(TOUR,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
(PYTHON,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_tour_compiles():
    plan = parse_specification(TOUR, "salute.yaml").plan(Path())
    assert plan.problem.num_knots > 100
    assert plan.compliance.keys() >= {"l_arm_elx"}
    assert any("gets" in remark for remark in plan.remarks)


def test_the_code_prints_margins(capsys):
    exec(PYTHON, {})
    assert "inside the feet" in capsys.readouterr().out


def test_every_word_is_on_the_page():
    robot = RobotModel("atlas")
    words = [*DIRECTIONS, *SUPPORTS, *robot.parts, *robot.places, FARTHEST]
    words += [w for turn in TURNS for w in turn.split()]
    assert [w for w in words if w not in PAGE] == []
