"""The examples of the page on dances are dances and moves, and do what it says."""

import re
from pathlib import Path

import pytest

from backbeat.behaviors.dance.vocabulary.move_file import parse_move
from backbeat.behaviors.specification.checking import autofixed, check_specification
from backbeat.behaviors.specification.kinds import parse_specification

PAGE = (Path(__file__).parents[2] / "docs" / "dances.md").read_text()
YAML = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
DANCE, SALUTE, TURN = YAML
(CODE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(LISTED,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


def test_the_dance_is_one_without_a_warning(tmp_path):
    assert check_specification(DANCE, tmp_path / "first-dance.yaml") == []


def test_the_moves_dance_beside_a_dance(tmp_path):
    (tmp_path / "moves").mkdir()
    for text, name in ((SALUTE, "salute"), (TURN, "small-turn")):
        assert parse_move(text, "page").name == name
        (tmp_path / "moves" / f"{name}.yaml").write_text(text)
    text = DANCE.replace("move: raise", "move: salute").replace(
        "{move: side-step, at: 12,", "{move: small-turn, at: 12,"
    )
    assert check_specification(text, tmp_path / "first-dance.yaml") == []
    plan = parse_specification(text, "page").plan(tmp_path)
    assert {"salute", "small-turn"} <= {e.what for e in plan.events}


def test_the_code_runs_and_prints(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(CODE, "dances.md", "exec"), {})
    assert "from-code: 24 beats" in capsys.readouterr().out
    text = (tmp_path / "from-code.yaml").read_text()
    assert check_specification(text, tmp_path / "from-code.yaml") == []


@pytest.mark.parametrize("line", LISTED.splitlines())
def test_the_listed_failures_are_said_so(tmp_path, line):
    head = "kind: dance\nname: my-dance\nbeats: 20\ntracks:\n"
    text = (
        head
        + {
            "8": "  #\n  legs:\n    #\n    - {move: bonce, at: 2}\n",
            "13": "\n" * 7
            + "  body:\n    - {move: twist, at: 8, values: {angle: 0.9}}\n",
        }[line.split(":")[1]]
    )
    path = tmp_path / "my-dance.yaml"
    (found,) = check_specification(text, path)
    assert found.sentence(Path("my-dance.yaml")) == line
    is_fixed = check_specification(autofixed(text, path)[0], path) == []
    assert is_fixed == ("--fix" in line)
