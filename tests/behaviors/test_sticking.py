"""Which hand plays what: limits are kept, choices cheap, and refusals help."""

import itertools
import math
import re
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backbeat.behaviors.music.notation.left_out import left_out_in_words
from backbeat.behaviors.music.notation.meter import MeterMap
from backbeat.behaviors.music.notation.player import HandModel, Hints
from backbeat.behaviors.music.notation.score import Hit, Hold
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.music.playing import sticking
from backbeat.behaviors.music.playing.sticking import find_hands
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit

KIT = DrumKit()
PLACES = {m: KIT.strike_pose(m).translation() for m in KIT.members}
MEMBERS = sorted(PLACES)
PLAYER = HandModel(PLACES, lambda hand, member: (hand, member) != ("left", "ride"))
REST = {"left": "snare", "right": "floor_tom"}


def hits(*events):
    """Open hits from (beat, member); a third entry fixes the hand."""
    return [Hit(e[0], e[1], e[2] if len(e) > 2 else "", 90) for e in events]


def stick(events, bpm=60, holds=(), unplayable="refuse", player=PLAYER):
    tempo = Tempo(bpm)
    return find_hands(events, holds, tempo, player, unplayable, "song")[0]


def hands(events, **more):
    return "".join(h.hand[0] for h in stick(events, **more))


def test_slow_strokes_stay_on_their_side():
    assert hands(hits((0, "hi_hat"), (1, "crash"), (2, "floor_tom"))) == "llr"


def test_fast_strokes_alternate():
    snare = hits(*[(k / 8, "snare") for k in range(16)])
    assert hands(snare) in ("lr" * 8, "rl" * 8)


def test_two_at_once_need_two_hands_that_do_not_cross():
    assert hands(hits((0, "hi_hat"), (0, "snare"))) == "lr"
    assert hands(hits((0, "snare"), (0, "floor_tom"))) == "lr"


def test_what_the_author_fixed_stays_and_is_not_judged():
    fixed = [(k / 16, "ride", "left") for k in range(8)]
    assert hands(hits(*fixed, (2, "hi_hat"))) == "l" * 9
    crossed = hits((0, "hi_hat", "right"), (0, "snare", "left"), (2, "snare"))
    assert hands(crossed)[:2] == "rl"


def test_a_hand_that_rests_does_not_play():
    hold = Hold(0, 8, "hold", {"left": "snare"}, 0.2, 2)
    assert hands(hits((4, "hi_hat"), (5, "crash")), holds=[hold]) == "rr"


def test_a_hand_does_not_play_what_it_does_not_reach():
    ride = hits((0, "ride"), (0.5, "ride"))
    assert hands(ride) == "rr"
    assert hands(hits((0, "ride"), (0, "floor_tom"))) == "rl"


def test_reach_is_asked_only_for_what_would_be_used():
    asked = []

    def can_reach(hand, member):
        asked.append((hand, member))
        return True

    stick(hits((0, "hi_hat"), (1, "floor_tom")), player=HandModel(PLACES, can_reach))
    assert sorted(asked) == [("left", "hi_hat"), ("right", "floor_tom")]


def refusal(events, **more):
    with pytest.raises(BackbeatError) as caught:
        stick(events, **more)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_three_at_once_are_refused_and_the_softest_may_go():
    events = [*hits((4, "hi_hat"), (4, "snare")), Hit(4, "floor_tom", "", 30)]
    said = refusal(events)
    assert "right hand: strikes the snare at that time); leave it out" in said
    kept = stick(events, unplayable="drop")
    assert {h.member for h in kept} == {"hi_hat", "snare"}


def test_all_that_is_dropped_is_named_with_its_place_and_cause():
    """Bars are counted as in the file, without those that were put before."""
    chords = [(k, m) for k in range(8, 14) for m in ("hi_hat", "snare", "floor_tom")]
    events = [*hits(*chords), *hits((16, "ride"))]
    player = HandModel(
        PLACES,
        lambda hand, member: member != "ride",
        hints=Hints(dropped=dict.fromkeys([(8, "snare"), (8, "hi_hat")], "")),
    )
    tempo = Tempo(60, MeterMap(lead_in=2))
    kept, left_out = find_hands(events, [], tempo, player, "drop", "song")
    remark = left_out_in_words(left_out)
    left = {(h.beat, h.member) for h in events} - {(h.beat, h.member) for h in kept}
    assert remark.amount == len(left) == 2 + 5 + 1
    head, *causes = re.split("(?:, |; )(?=where|too|beyond)", remark)
    assert head == "8 hits dropped"
    told = dict(cause.split(": ") for cause in causes)
    assert told["where the optimizer found no motion"] == (
        "hi_hat in bar 1, beat 1, snare in bar 1, beat 1"
    )
    assert told["beyond the reach of both hands"] == "ride in bar 3, beat 1"
    assert told["too fast for two hands"].count(" in bar ") == 5


def kept_by_right_hand(*events):
    """How many hits it plays, and why it does not play others."""
    alone = HandModel(PLACES, lambda hand, m: hand == "right")
    played, left = find_hands(hits(*events), [], Tempo(60), alone, "drop", "song")
    return len(played), [hit.proof.partition("; right hand: ")[2] for hit in left]


def test_fast_strokes_of_a_hand_are_pairs_with_time_after_them():
    drum = "snare"
    pairs = [(t, drum) for k in range(3) for t in (1 + 0.2 * k, 1.07 + 0.2 * k)]
    assert kept_by_right_hand(*pairs) == (6, [])
    three = kept_by_right_hand((1.0, drum), (1.07, drum), (1.14, drum))
    said = "70 ms from its hit of the snare, of 80 ms that it takes in a row"
    assert three == (2, [said])
    row = HandModel(PLACES).repeat
    assert kept_by_right_hand((1.0, drum), (1.06, drum), (1 + 2 * row, drum))[0] == 3


def test_a_way_begins_when_a_pair_has_had_its_time():
    least = HandModel(PLACES).travel("snare", "hi_hat")
    pair, lacking = ((1.0, "snare"), (1.06, "snare")), 0.02
    assert kept_by_right_hand(*pair, (1.06 + least + lacking, "hi_hat"))[0] == 3
    assert kept_by_right_hand(*pair, (1.06 + least + 0.01, "hi_hat"))[0] == 2
    assert kept_by_right_hand(pair[0], (1.061 + least, "hi_hat"))[0] == 2


@pytest.mark.parametrize(
    ("ms", "kept", "proof"),
    [
        # Two strokes of a hand on one drum.
        (55, False, "55 ms from its hit of the snare, of 60 ms that it takes"),
        (62, True, ""),
    ],
)
def test_what_is_too_fast_is_told_in_numbers(ms, kept, proof):
    """Both hands are busy at the end, so that the stroke before is one of theirs."""
    time = ms / 1e3
    events = hits((1.0, "snare"), (1.0 + time, "snare"), (1.0 + time, "ride"))
    alone = HandModel(PLACES, lambda hand, m: (hand == "right") == (m == "ride"))
    played, left_out = find_hands(events, [], Tempo(60), alone, "drop", "song")
    assert (len(played) == 3) == kept
    told = [hit.proof for hit in left_out]
    if kept:
        assert not told
    else:
        assert f"left hand: {proof}" in told[0]
        assert "right hand: does not reach it" in told[0]


def test_the_proof_has_the_speed_that_a_hand_lacks():
    events = hits((1.0, "floor_tom"), (1.05, "hi_hat"))
    alone = HandModel(PLACES, lambda hand, member: hand == "right")
    _, (lost,) = find_hands(events, [], Tempo(60), alone, "drop", "song")
    way = float(np.linalg.norm(PLACES["floor_tom"] - PLACES["hi_hat"]))
    asked, made = map(float, re.findall(r"([\d.]+) (?:m/s|that)", lost.proof))
    assert asked == pytest.approx(way / 0.05, abs=0.06)
    assert made == pytest.approx(way / alone.travel("floor_tom", "hi_hat"), abs=0.06)
    assert asked > made


def test_a_passage_that_is_too_fast_names_a_tempo_at_which_it_goes():
    far = ["hi_hat", "ride", "crash", "floor_tom"] * 4
    events = hits(*[(k / 4, m) for k, m in enumerate(far)])
    said = refusal(events, bpm=300)
    bpm = int(re.search(r"the travel of hands alone takes (\d+) BPM", said)[1])
    assert 20 < bpm < 300
    stick(events, bpm=0.98 * bpm)
    refusal(events, bpm=1.1 * bpm)


def test_a_drum_beyond_both_hands_says_so():
    player = HandModel(PLACES, lambda hand, member: member != "ride")
    said = refusal(hits((0, "snare"), (2, "ride")), player=player)
    assert "no hand gets at the ride in bar 1, beat 3" in said


sixteenths = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from(MEMBERS)), max_size=30, unique=True
)


@settings(max_examples=60)
@given(sixteenths, st.integers(40, 200))
def test_what_is_found_keeps_every_limit(steps, bpm):
    events = hits(*sorted((k / 4, m) for k, m in steps))
    tempo = Tempo(bpm)
    played = stick(events, bpm=bpm, unplayable="drop")
    for hand in ("left", "right"):
        own = [h for h in played if h.hand == hand]
        earliest = -math.inf
        for a, b in itertools.pairwise(own):
            start, end = tempo.time(a.beat), tempo.time(b.beat)
            least = PLAYER.travel(a.member, b.member)
            is_row = end >= max(start, earliest) + least - 1e-9
            is_pair = a.member == b.member and end - start >= PLAYER.pair - 1e-9
            assert is_row or (is_pair and earliest <= start)
            earliest = end if is_row else start + least
        assert all(PLAYER.can_reach(hand, h.member) for h in own)
    for a, b in itertools.combinations(played, 2):
        if a.beat == b.beat and a.hand != b.hand:
            left, right = (a, b) if a.hand == "left" else (b, a)
            width = PLACES[right.member][1] - PLACES[left.member][1]
            assert width <= 0.1
    # Nothing is left out that could just be added to what is played.
    if len(played) < len(events):
        with pytest.raises(BackbeatError, match="leave it"):
            stick(events, bpm=bpm)


def test_no_other_choice_is_cheaper():
    """Against every choice there is, for a short fill; the price is by its parts."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        events = hits(*[(0.24 * k, rng.choice(MEMBERS[:-2])) for k in range(7)])
        problem = sticking._Sticking(events, (), Tempo(60), PLAYER)
        found = problem.solve()
        prices = {}
        for given_hands in itertools.product("lr", repeat=7):
            state, price = (sticking._Stop(), sticking._Stop()), 0.0
            for i, (letter, moment) in enumerate(
                zip(given_hands, problem.moments, strict=True)
            ):
                hand = {"l": "left", "r": "right"}[letter]
                after = problem._play(state, moment, moment.time, {i: hand})
                if after is None:
                    break
                state, price = after[0], price + after[1]
            else:
                prices[given_hands] = price
        if found is None:
            assert not prices
            continue
        chosen = tuple(found[i][0] for i in range(7))
        assert prices[chosen] == pytest.approx(min(prices.values()))


def test_a_song_takes_time_in_proportion_to_its_length():
    rng = np.random.default_rng(0)
    members = [m for m in MEMBERS if m not in ("ride", "crash")]
    long = hits(*[(k / 2, rng.choice(members)) for k in range(1600)])
    seconds = []
    for events in (long[:400], long):
        tries = []
        for _ in range(3):
            started = time.process_time()
            stick(events, bpm=120)
            tries.append(time.process_time() - started)
        seconds.append(min(tries))
    assert seconds[1] < 10 * seconds[0] + 0.05
