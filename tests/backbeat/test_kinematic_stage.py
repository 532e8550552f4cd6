from dataclasses import replace

import pytest

from backbeat.behaviors.kinematic.behavior import KINEMATIC
from backbeat.cli.main import main
from backbeat.stage.drawing.stage import Stage
from backbeat.stage.sources.kinds import PlannedSource
from tests.backbeat.performances import drumming


def test_the_stage_says_what_is_kinematic():
    behavior = replace(drumming(True, 1.0), kind=KINEMATIC)
    take = PlannedSource(behavior)
    info = Stage(behavior, is_simulated=False).info(take, 1.0)
    assert info["kind"] == "kinematic player: no forces, no balance"


def test_no_robot_follows_the_kinematic_player(monkeypatch, capsys):
    command = ["backbeat", "play", "outstanding", "--kinematic", "--simulated"]
    monkeypatch.setattr("sys.argv", command)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "has no forces and is not simulated" in capsys.readouterr().err
