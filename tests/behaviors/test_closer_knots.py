"""A motion that fails between its knots is found with closer ones, and that is said."""

import pytest

from behaviors.build import build
from behaviors.dance.knots import KNOTS_PER_BEAT, knots_per_beat
from behaviors.library import Library
from behaviors.specification import parse_specification
from models.errors import BackbeatError
from tests.behaviors.short_legs import write

STEPS = """kind: footsteps
name: strides
summary: Two long strides on short legs.
robot: short.yaml
{more}steps:
  - {{feet: both, time: 0.8}}
  - {{feet: right, time: {time}, to: [{to}, 0], clearance: {clearance}}}
  - {{feet: both, time: 0.2}}
  - {{feet: left, time: {time}, to: [{to}, 0], clearance: {clearance}}}
  - {{feet: both, time: 0.8}}
"""
DANCE = """kind: dance
name: nods
summary: Nods.
bpm: 100
beats: 8
{more}tracks: {{legs: [{{move: bounce, at: 1, beats: 4}}]}}
"""


@pytest.fixture
def strides(tmp_path):
    """`strides(bent, time, to, clearance, more)` builds two strides."""

    def make(bent, time, to, clearance, more=""):
        write(tmp_path, bent)
        path = tmp_path / "strides.yaml"
        values = {"time": time, "to": to, "clearance": clearance, "more": more}
        path.write_text(STEPS.format(**values))
        return build(path, Library(tmp_path / "library"), force=True)

    return make


def test_feet_that_slide_between_knots_get_closer_ones(strides):
    """Half a second on either side of a stride the knee of the foot behind is straight.

    What builds with the key that the note has is the very same motion.
    """
    asked = 0.15, 0.6, 0.27, 0.06
    motion = strides(*asked)
    check = {c.name: c for c in motion.certificate.checks}["contact_position"]
    assert check.value < 1e-6
    note = motion.provenance["remarks"][0]
    assert note.startswith("knots are closer than asked for (knot_spacing: 0.0")
    assert "failed between them, contact_position 0.003" in note
    key = note.partition("(")[2].partition(")")[0]
    again = strides(*asked, more=f"{key}\n")
    assert not any("closer" in r for r in again.provenance["remarks"])
    assert again.provenance["knots"] == motion.provenance["knots"]
    assert (again.motion.q == motion.motion.q).all()


def test_where_that_is_no_help_the_message_says_what_may_be(strides):
    with pytest.raises(BackbeatError, match="fails verification: ") as e:
        strides(0.03, 0.8, 0.26, 0.03)
    assert "closer knots, down to knot_spacing: 0.018, did not help. A knee" in str(
        e.value
    )


def dance(more=""):
    return parse_specification(DANCE.format(more=more), "nods.yaml")


def test_knots_of_a_dance_get_closer_step_by_step_and_have_an_end():
    found = [dance()]
    while (closer := found[-1].with_closer_knots()) is not None:
        found.append(closer)
    counts = [knots_per_beat([], 0.6, d.knot_spacing) for d in found]
    assert counts == sorted(set(counts))
    assert counts[0] == KNOTS_PER_BEAT[0]
    assert len(counts) > 2


def test_knots_of_a_dance_that_are_too_close_are_refused(tmp_path):
    (tmp_path / "nods.yaml").write_text(DANCE.format(more="knot_spacing: 0.001\n"))
    with pytest.raises(BackbeatError, match=r"0\.001 s; .* at least 0\.015 s, or 0"):
        build(tmp_path / "nods.yaml", Library(tmp_path / "library"))
