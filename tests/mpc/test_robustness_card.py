"""Robustness cards: which runs they are made of, and what they say of them."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.kinematic.behavior import KINEMATIC
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.survival import RECOVERY
from backbeat.mpc.sweep.card.robustness import (
    Survival,
    card_path,
    make_card,
    read_card,
    survivals,
)
from backbeat.mpc.sweep.card.sample import Sample
from backbeat.mpc.sweep.card.sweeps import card_sweeps


def cell(what, survived, runs, first=None, level=None):
    return {
        "case": what,
        "level": level,
        "survived": survived,
        "runs": runs,
        "first_fall_s": first,
    }


def summaries(is_complete=True, margin=80.0, at_least=False):
    disturbances = {
        "commit": "abc",
        "seeds": list(range(20)),
        "is_complete": is_complete,
        "cells": [cell("nothing but noise", 16, 16), cell("friction 0.5", 3, 5, 1.3)],
    }
    pushes = {
        "is_complete": True,
        "cells": [cell("", 2, 10, 0.9, 120.0), cell("", 10, 10, None, 80.0)],
        "margins": [{"margin": margin, "at_least": at_least}],
    }
    return disturbances, pushes


@pytest.fixture(scope="module")
def groove(built):
    return built("groove")


def test_every_push_comes_within_the_behavior_and_is_judged(groove):
    for sweep in card_sweeps(groove):
        level = 60.0 if sweep.settings.search else None
        for one in (sweep.at_level(c, level) for c in sweep.cells):
            end = groove.duration + one.scenario.timing.lead_out
            pushes = [p for s in range(200) for p in one.seeded(s).disturbances.pushes]
            for push in pushes:
                assert 0.0 <= push.time <= groove.duration
                assert push.time + push.duration + RECOVERY <= end
            if pushes:
                angles = np.array([np.arctan2(*p.impulse[1::-1]) for p in pushes])
                # Any direction, any time: every quarter of both is met.
                assert set(np.floor(angles / (np.pi / 2))) == {-2, -1, 0, 1}
                times = np.array([p.time for p in pushes]) / groove.duration
                assert set(np.floor(4 * times)) == {0, 1, 2, 3}


def test_a_seed_gives_the_same_push_again(groove):
    _, pushes = card_sweeps(groove)
    one = pushes.at_level(pushes.cells[0], 60.0)
    assert one.seeded(3) == one.seeded(3)
    assert one.seeded(3).disturbances.pushes != one.seeded(4).disturbances.pushes
    assert np.linalg.norm(
        one.seeded(3).disturbances.pushes[0].impulse
    ) == pytest.approx(60.0)


def test_a_sample_has_fewer_seeds(groove):
    assert [len(s.seeds) for s in card_sweeps(groove, 3)] == [3, 3]
    assert [len(s.seeds) for s in card_sweeps(groove)] == [20, 10]


def test_what_no_robot_can_follow_has_no_card(groove):
    with pytest.raises(BackbeatError, match="no robot can follow"):
        card_sweeps(replace(groove, kind=KINEMATIC))


def test_a_card_counts_what_its_runs_say(groove, tmp_path):
    card = make_card(groove, *summaries(), "source")
    assert [(s.survived, s.runs) for s in card.disturbances] == [(16, 16), (3, 5)]
    assert [s.what for s in card.pushes] == [80.0, 120.0]
    beat = card.disturbances[1].first_fall_beat
    assert groove.beat_times(9.0)[beat - 1] <= 1.3 < groove.beat_times(9.0)[beat]
    pooled = card.pooled
    assert (pooled.survived, pooled.runs) == (19, 21)
    assert (pooled.first_fall_s, pooled.first_fall_beat) == (1.3, beat)
    low, high = pooled.interval
    assert f"90% ({low:.0%} to {high:.0%}), push 80 N s" == card.headline
    path = card_path(tmp_path / "groove.parquet")
    path.parent.mkdir()
    path.write_text(card.to_text())
    assert read_card(path) == card


def test_a_headline_says_what_is_missing(groove):
    card = make_card(groove, *summaries(False, None), "source")
    assert card.headline.endswith("push none, unfinished")
    bound = make_card(groove, *summaries(True, 200.0, True), "source")
    assert bound.headline.endswith("push ≥ 200 N s")
    assert Survival("", 0, 0).interval == (0.0, 1.0)


def test_a_card_belongs_to_one_build_and_one_source(groove):
    card = make_card(groove, *summaries(), "source")
    key = groove.provenance["key"]
    assert card.is_about(key, "source")
    assert not card.is_about("another", "source")
    assert not card.is_about(key, "newer")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 2}', '{"format": 1}', "\x00"]
)
def test_what_is_no_card_is_refused(tmp_path, text):
    path = tmp_path / "stand.json"
    assert read_card(path) is None
    path.write_text(text)
    with pytest.raises(BackbeatError, match="not a robustness card"):
        read_card(path)


def test_strained_joints_are_told_and_are_below_the_standard(groove):
    disturbances, pushes = summaries()
    disturbances["cells"][1] = cell("friction 0.5", 5, 5)
    assert Sample("groove", survivals(groove, disturbances)).meets_standard
    strained = {"strained": 2, "strained_joints": ["l_arm_lwy saturated"]}
    disturbances["cells"][0] |= strained
    words = "nothing but noise: l_arm_lwy saturated (in 2 of 16 runs)"
    card = make_card(groove, disturbances, pushes, "s")
    assert card.headline.endswith(f"; joints strained: {words}")
    sample = Sample("groove", survivals(groove, disturbances))
    assert words in sample.headline
    assert not sample.meets_standard
