"""Dancers with sticks: hands that clap keep them apart, and what differs is said."""

import numpy as np
import pytest
from pydrake.geometry import GeometryId
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

from backbeat.behaviors.building.build import Reports, solve
from backbeat.behaviors.dance.vocabulary.move_file import parse_move, shipped_moves
from backbeat.behaviors.specification.checking import check_specification
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.models.common.errors import BackbeatError

QUIET = Reports(lambda share, what: None, lambda entry: None)
DANCE = """\
kind: dance
name: mine
summary: Claps.
equipment: [sticks]
bpm: 100
beats: 12
tracks:
  arms:
    - {move: clap, at: 2, beats: 8}   # 9
"""
SLAP = """\
name: slap
track: arms
summary: brings the hands together
length: 2
keyframes:
  - {at: 0.0, both_arm_elx: 1.3, both_arm_shz: -0.17}
  - {at: 0.5, both_arm_elx: 1.3, both_arm_shz: 0.23}
"""


class Sticks:
    """Distances of a dancer's sticks, by Drake's shapes alone."""

    def __init__(self, robot):
        builder = DiagramBuilder()
        self.plant, graph = AddMultibodyPlantSceneGraph(builder, 0.0)
        robot.add_to(self.plant, graph)
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.root = self.diagram.CreateDefaultContext()
        self.context = self.plant.GetMyContextFromRoot(self.root)
        self.port = graph.get_query_output_port()
        self.graph = graph.GetMyContextFromRoot(self.root)
        names = [self.plant.GetJointByName(n) for n in robot.joint_names]
        self.rows = [*range(7), *(j.position_start() for j in names)]
        self.shapes = {side: self.of(f"{side}_stick") for side in "lr"}

    def of(self, item) -> list[GeometryId]:
        body = self.plant.GetBodyByName(
            "stick", self.plant.GetModelInstanceByName(item)
        )
        return self.plant.GetCollisionGeometriesForBody(body)

    def gap(self, q):
        """Between the two sticks [m]."""
        full = self.plant.GetPositions(self.context)
        full[self.rows] = q
        self.plant.SetPositions(self.context, full)
        query = self.port.Eval(self.graph)
        return min(
            query.ComputeSignedDistancePairClosestPoints(a, b).distance
            for a in self.shapes["l"]
            for b in self.shapes["r"]
        )


def gaps(text, folder):
    """(n,) distances of the sticks over a motion that was built and verified [m]."""
    specification = parse_specification(text, "mine.yaml")
    made = solve(specification, text, folder / "mine.yaml", "", QUIET)
    assert made.certificate.passed
    sticks = Sticks(made.robot_model)
    return np.array([sticks.gap(q) for q in made.motion.q[::5]])


def test_hands_with_sticks_clap_and_keep_them_apart(tmp_path):
    apart = gaps(DANCE, tmp_path)
    # What planners keep everywhere, less what lies between knots.
    assert apart.min() > 0.01
    # And they still come together.
    assert apart.min() < 0.08
    assert apart.max() > 0.2


def test_a_check_says_what_the_sticks_change(tmp_path):
    (found,) = check_specification(DANCE, tmp_path / "mine.yaml")
    assert (found.line, found.finding.fails) == (9, False)
    assert "beat 4: clap keeps the hands apart" in found.finding.sentence
    assert "l_stick would touch" in found.finding.sentence


def test_empty_hands_clap_as_ever(tmp_path):
    text = DANCE.replace("equipment: [sticks]\n", "")
    assert check_specification(text, tmp_path / "mine.yaml") == []


def test_a_move_that_says_nothing_goes_around(tmp_path):
    """Tips are solids for planners: it was built with one tip in the other."""
    (tmp_path / "moves").mkdir()
    (tmp_path / "moves" / "slap.yaml").write_text(SLAP)
    text = DANCE.replace("clap", "slap")
    (found,) = check_specification(text, tmp_path / "mine.yaml")
    assert "in slap as it is written l_stick would be in" in found.finding.sentence
    assert "'apart'" in found.finding.sentence
    assert gaps(text, tmp_path).min() > 0.005


def test_a_value_that_is_offered_is_clear(tmp_path):
    row = "{move: pump, at: 2, beats: 8, values: {angle: 1.6}}"
    text = DANCE.replace("{move: clap, at: 2, beats: 8}", row)
    (found,) = check_specification(text, tmp_path / "mine.yaml")
    assert "with angle: 1.45 it is clear" in found.finding.sentence
    fixed = text.replace("angle: 1.6", "angle: 1.45")
    assert check_specification(fixed, tmp_path / "mine.yaml") == []


@pytest.mark.parametrize("channel", ["both_arm_shx", "com.x"])
def test_hands_come_apart_with_joints_of_the_move(channel):
    text = f"{SLAP}apart: {{{channel}: 0.5}}\n"
    with pytest.raises(BackbeatError, match="takes hands apart with joints"):
        parse_move(text, "slap.yaml")


def test_clap_says_how_its_hands_come_apart():
    assert shipped_moves()["clap"].apart == {"both shoulder pitch": 0.9}
