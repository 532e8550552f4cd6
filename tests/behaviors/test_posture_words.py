"""Words for postures: each means one thing, and all others are refused."""

import numpy as np
import pytest

from backbeat.behaviors.posture.words import CENTER, parse_wish
from backbeat.models.common.errors import BackbeatError

PLACES = ("head", "hip")


def wish(text, part="left hand", **options):
    return parse_wish(part, text, PLACES, "mine", **options)


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("up 0.2", (0, 0, 0.2)),
        ("down 20 cm", (0, 0, -0.2)),
        ("forward 0.1 m and left 0.3", (0.1, 0.3, 0)),
        ("back .5, right 1", (-0.5, -1, 0)),
        ("out 0.1", (0, 0.1, 0)),
        ("in 10cm", (0, -0.1, 0)),
        ("up", (0, 0, 0.05)),
    ],
)
def test_directions(text, way):
    found = wish(text)
    np.testing.assert_allclose(sum(w.amount * w.direction for w in found.shifts), way)


def test_sides_are_the_parts_own():
    assert wish("out 0.1", "right hand").shifts[0].direction[1] == -1
    with pytest.raises(BackbeatError, match="no side"):
        wish("out 0.1", "head")


def test_a_hand_goes_farther_by_itself():
    assert wish("up", is_hand=True).shifts[0].amount == 0.3


def test_places_turns_and_the_farthest():
    found = wish("at the head and up 0.1")
    assert (found.place, found.shifts[0].amount) == ("head", 0.1)
    found = wish("turned left 20 degrees and leaning forward 10 degrees")
    np.testing.assert_allclose(np.degrees(found.turn), [0, 10, 20])
    assert found.turns == "ry rz"
    found = wish("up 0.2 and forward as far as you can")
    assert found.is_farthest
    np.testing.assert_allclose(wish("0.5 -0.3 1.2").point, [0.5, -0.3, 1.2])
    assert wish("over the left foot", CENTER).over == "left foot"


@pytest.mark.parametrize(
    ("part", "text", "sentence"),
    [
        ("left hand", "at the hed", "did you mean head"),
        ("left hand", "upp 0.2", "did you mean up"),
        ("left hand", "up far", "after 'up' comes a length"),
        ("left hand", "up 300", "beyond what makes sense"),
        ("left hand", "turned left", "say how far"),
        ("left hand", "turned left 500 degrees", "beyond what makes sense"),
        ("left hand", "at the head and at the hip", "in one place"),
        ("left hand", "0.1 0.2 0.3 and at the hip", "in one place"),
        (
            "left hand",
            "up as far as you can and left as far as you can",
            "in one direction, not in two",
        ),
        ("left hand", "over the left foot", "cannot be said of the left hand"),
        (CENTER, "up 0.1", "say where the pelvis is"),
        (CENTER, "at the hip", "cannot be said of the center of mass"),
        (CENTER, "over the left hand", "did you mean left foot"),
        ("left hand", "", "unknown word"),
    ],
)
def test_what_is_not_in_the_vocabulary(part, text, sentence):
    with pytest.raises(BackbeatError, match=sentence) as error:
        wish(text, part)
    assert "\n" not in str(error.value)
