"""What is authored and built prints itself, for people at a prompt or a notebook."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.footsteps.specification import FootstepSpecification
from backbeat.behaviors.footsteps.step import Step
from backbeat.behaviors.posture.specification import PostureSpecification, Station
from backbeat.behaviors.specification.kinds import (
    SHIPPED_FOLDER,
    parse_specification,
    read_specification,
    shipped_names,
)
from backbeat.models.common.errors import BackbeatError
from tests.backbeat.performances import swaying


def text_of(html):
    """The words of a fragment, which is well-formed."""
    return " ".join(ElementTree.fromstring(html).itertext())


def test_a_behavior_prints_a_sentence_and_a_table():
    behavior = swaying()
    assert repr(behavior) == str(behavior)
    assert len(repr(behavior)) < 200
    words = text_of(behavior._repr_html_())
    assert "<and> smiles" in words  # As text, not as a tag.
    assert "3.0 s" in words
    assert "verified yes" in words
    other = replace(behavior, summary="<script>")
    assert "<script>" not in other._repr_html_()


def test_a_choreography_prints_all_its_moves():
    dance = Choreography("mine", beats=24)
    dance.recording("take", "take.csv", "degrees", beats=8.0)
    dance.arms("wave", 4, beats=8).legs("bounce", 2, beats=8, mirror=True)
    dance.legs("take", 12).head("nodd", 2)
    lines = str(dance).splitlines()
    assert "24 beats at 98 BPM" in lines[0]
    assert [line.split()[0] for line in lines[1:]] == ["legs", "legs", "arms", "head"]
    assert "bounce mirrored" in lines[1]
    assert "10 beats  take  from take.csv" in lines[2]
    assert "unknown" in lines[4]
    words = text_of(dance._repr_html_())
    for word in ("bounce mirrored", "take.csv", "wave", "nodd"):
        assert word in words


@pytest.mark.parametrize("name", shipped_names())
def test_every_specification_writes_itself(name, tmp_path):
    specification, _ = read_specification(SHIPPED_FOLDER / f"{name}.yaml")
    path = specification.save(tmp_path)
    assert parse_specification(path.read_text(), name) == specification


def test_postures_and_steps_are_authored_in_python(tmp_path):
    tour = PostureSpecification(
        name="salute",
        compliance={"left arm": 0.5},
        stations=[Station("stand", targets={"right hand": "at the head"})],
    )
    steps = FootstepSpecification(
        name="steps",
        steps=[Step(time=0.5), Step("right", time=0.6, to=[0.1, 0]), Step(time=1.0)],
    )
    for made in (tour, steps):
        again = parse_specification(made.save(tmp_path).read_text(), made.name)
        assert again == made
        assert again.plan(Path()).problem.num_knots > 10
    with pytest.raises(BackbeatError, match="is not a behavior name"):
        PostureSpecification(name="../out").save(tmp_path)
