"""Boards and beaters of pedals move with the feet on the stage."""

import numpy as np
import pytest

from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.world.stick_contacts import FORCE, MEMBER, ROW
from backbeat.stage.drawing.pedals import PedalBoards
from backbeat.stage.frames.frame import StageFrame
from backbeat.stage.frames.strikes import greatest_tip_forces

SCORE = """\
bpm: 98
parts:
  - {hold: 2, rest: {left: snare, right: floor_tom}}
  - {tab: "BD|o---|\\nHF|--x-|"}
"""


class Placed(dict):
    """A canvas that remembers where things are."""

    def place(self, path, X):
        self[path] = X


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    folder = tmp_path_factory.mktemp("feet")
    (folder / "scores").mkdir()
    (folder / "scores" / "feet.yaml").write_text(SCORE)
    song = DrummingSpecification(
        name="feet", score="feet", kit="full-kit", seat="chair"
    )
    return song.plan(folder)


def test_a_board_is_under_the_toes_and_its_beater_away_from_the_head(plan):
    robot, kit, canvas = plan.problem.robot, plan.scene.drum_kit(), Placed()
    state = Configuration(robot, plan.problem.q_start)
    PedalBoards(robot, kit.pedals()).draw(canvas, StageFrame(0.0, state))
    assert len(canvas) == 4
    for pedal in kit.pedals():
        # At the start of a song, feet rest on their pedals.
        board = canvas[f"/set/{pedal.board}"]
        assert board.IsNearlyEqualTo(pedal.board_pose(pedal.rest), 1e-3)
        toe = state.pose(f"{pedal.foot[0]}_toe").translation()
        assert board.inverse().multiply(toe)[2] == pytest.approx(0.0, abs=1e-3)
        arm = np.array([pedal.description.arm, 0.0, 0.0])
        head = canvas[f"/set/{pedal.beater}"].multiply(arm)
        motion = pedal.head_motion(pedal.swing(pedal.rest), 0.0)
        np.testing.assert_allclose(head, motion[:3], atol=3e-3)


def test_forces_of_beaters_are_none_on_the_robot(plan):
    kit, members = plan.scene.drum_kit(), tuple(plan.scene.drum_kit().members)
    row = np.zeros((1, 2 * ROW))
    for i in range(2):
        row[0, ROW * i + FORCE] = 50.0
        row[0, ROW * i + MEMBER] = members.index("kick")
    found = greatest_tip_forces(row, ("r_stick_tip", "kick_beater"), members, kit)
    assert list(found) == ["r_stick_tip"]
