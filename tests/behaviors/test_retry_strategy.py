"""Second thoughts: a price first, and only then is a hit left out, and said."""

import json

import pytest

from backbeat.behaviors.motion.retry_strategy import (
    CLOSER,
    FIRMEST,
    hand_of,
    next_hints,
    places_of,
)
from backbeat.behaviors.music.notation.player import HandModel, Hints
from backbeat.behaviors.music.notation.score import HANDS, Hit, Score
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.music.playing.sticking import find_hands
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.optimization.interior_point.solution import Violation
from backbeat.optimization.transcription.constraints import RowName, Thing

KIT = DrumKit()
PLACES = {m: KIT.strike_pose(m).translation() for m in KIT.members}
OPEN = [Hit(b, m, "", 90) for b, m in ((0, "hi_hat"), (1, "snare"), (2, "floor_tom"))]
ARMS = {h: {f"{h[0]}_stick", f"{h[0]}_stick_tip", f"{h[0]}_arm_shz"} for h in HANDS}


def near(time, stick, amount=0.03):
    return Violation(time, RowName.of("distance", stick, "shaft"), amount)


def between(time, foot):
    return Violation(time, RowName.of("contact_slip", foot), 1.0, is_between=True)


TROUBLE = near(1.05, "l_stick")


def score(hints, unplayable="drop"):
    player = HandModel(PLACES, hints=hints)
    hits, left = find_hands(OPEN, [], Tempo(60), player, unplayable, "song")
    return Score(Tempo(60), tuple(hits), (), 4, left_out=tuple(left))


def test_a_hit_goes_to_the_other_hand():
    first = score(Hints())
    assert [h.hand for h in first.hits[:2]] == ["left", "left"]
    hints = next_hints(Hints(), first, [TROUBLE], ARMS, True)
    assert hints is not None
    assert not hints.dropped
    assert score(hints).hits[1].hand == "right"


def test_where_other_hands_are_in_trouble_too_a_hit_is_left_out_and_said():
    first = score(Hints())
    hints = next_hints(Hints(), first, [TROUBLE], ARMS, True)
    elsewhere = near(2.0, "r_stick")
    hints = next_hints(hints, score(hints), [elsewhere], ARMS, True)
    assert set(hints.dropped) == {(1, "snare")}
    found = score(hints)
    assert [h.member for h in found.hits] == ["hi_hat", "floor_tom"]
    assert [h.hand for h in found.hits] == [first.hits[0].hand, first.hits[2].hand]
    (left,) = found.left_out
    assert (left.hit.member, left.bar, left.beat) == ("snare", 1, 2)
    assert left.proof == f"{TROUBLE.name} is beyond its bound at knots at 1.05 s"
    with pytest.raises(BackbeatError, match="bar 1, beat 2"):
        score(hints, "refuse")


def test_knots_get_closer_before_hands_change():
    slip = between(1.05, "l_foot")
    hints, first = Hints(), score(Hints())
    for count in range(1, CLOSER + 1):
        hints = next_hints(hints, first, [slip], ARMS, True)
        assert len(hints.finer) == count
        assert not hints.prices
        assert score(hints).hits == first.hits
    # The other hand only where that was not enough, and elsewhere closer knots.
    elsewhere = between(2.0, "r_foot")
    changed = next_hints(hints, first, [slip, elsewhere], ARMS, True)
    assert changed.finer[-1] == {2.0}
    assert {beat for beat, *_ in changed.prices} == {1}
    # Closer knots are tried with those hands, too.
    later = between(0.0, "r_foot")
    closer = next_hints(changed, score(changed), [later], ARMS, True)
    assert closer.finer[-1] == {0.0}
    assert closer.fallback == changed.fallback
    assert not closer.fallback.prices


def test_a_hit_is_left_out_where_nobody_can_say_what_was_in_trouble():
    hints = next_hints(Hints(), score(Hints()), [TROUBLE], ARMS, True)
    again = next_hints(hints, score(hints), [], ARMS, True)
    assert set(again.dropped) == {(1, "snare")}
    assert next_hints(Hints(), score(Hints()), [], ARMS, True) is None


def test_nothing_is_left_to_try_without_a_hit():
    silent = Score(Tempo(60), (), (), 4)
    assert next_hints(Hints(), silent, [TROUBLE], ARMS, True) is None


def test_nothing_is_left_out_where_the_author_does_not_let_go():
    hints = Hints()
    for _ in range(4):
        hints = next_hints(hints, score(hints, "refuse"), [TROUBLE], ARMS, False)
        if hints is None:
            break
        assert not hints.dropped


def test_troubles_side_by_side_are_one_and_small_ones_none():
    violations = [
        near(5.0, "b", 0.02),
        near(1.0, "a", 0.01),
        near(1.1, "a", 0.03),
        near(3.0, "small", 0.001),
    ]
    assert places_of(violations) == [violations[2], violations[0]]
    assert places_of([]) == []


@pytest.mark.parametrize(
    ("name", "hand"),
    [
        (RowName.of("torque", "l_arm_shz"), "left"),
        (RowName.of("target", "r_stick_tip"), "right"),
        (RowName.of("friction", "l_foot"), ""),
        (RowName("collision", (Thing("snare"), Thing("l_stick", "shaft"))), "left"),
        (RowName("rest at the end"), ""),
    ],
)
def test_what_belongs_to_an_arm_tells_the_hand(name, hand):
    violation = Violation(0.0, name, 1.0)
    assert hand_of(violation, ARMS) == hand
    assert Violation.from_plain(json.loads(json.dumps(violation))) == violation


def test_feet_that_slip_between_knots_get_friction_to_spare_and_hits_stay():
    slip = Violation(1.05, RowName.of("friction", "l_foot"), 1.0, is_between=True)
    hints, first = Hints(), score(Hints())
    for count in range(1, FIRMEST + 1):
        hints = next_hints(hints, first, [slip], ARMS, True)
        assert (hints.firmer, len(hints.finer)) == (count, count)
        assert not hints.prices
    changed = next_hints(hints, first, [slip], ARMS, True)
    assert changed.firmer == FIRMEST
    assert changed.prices
    # Beside other troubles, hands change in the same attempt.
    both = next_hints(Hints(), first, [slip, TROUBLE], ARMS, True)
    assert both.firmer == 1
    assert both.prices
