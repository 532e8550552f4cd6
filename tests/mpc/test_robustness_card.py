"""Robustness cards: which runs they are made of, and what they say of them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.kinematic.behavior import KINEMATIC
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.survival import RECOVERY
from backbeat.mpc.sweep.card.robustness import (
    OF_DRAKE_ALONE,
    card_path,
    make_card,
    read_card,
)
from backbeat.mpc.sweep.card.sample import Sample
from backbeat.mpc.sweep.card.survivals import Survival, SurvivedIn, survivals
from backbeat.mpc.sweep.card.sweeps import card_sweeps


def cell(what, survived, runs, first=None, level=None, engine="drake"):
    return {
        "case": what,
        "engine": engine,
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
        "margins": [{"engine": "drake", "margin": margin, "at_least": at_least}],
    }
    return disturbances, pushes


def in_both(margin=60.0, at_least=False):
    """Summaries whose other engine survives more, and less of a push."""
    disturbances, pushes = summaries()
    disturbances["cells"] += [
        cell("nothing but noise", 16, 16, engine="mujoco"),
        cell("friction 0.5", 5, 5, engine="mujoco"),
    ]
    pushes["cells"] += [cell("", 10, 10, None, 60.0, "mujoco")]
    pushes["margins"] += [{"engine": "mujoco", "margin": margin, "at_least": at_least}]
    return disturbances, pushes


def sample(behavior, disturbances):
    taken = SurvivedIn("drake", survivals(behavior, disturbances, "drake"))
    return Sample(behavior.name, (taken,))


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
    (drake,) = card.engines
    assert [(s.survived, s.runs) for s in drake.disturbances] == [(16, 16), (3, 5)]
    assert [s.what for s in drake.pushes] == [80.0, 120.0]
    beat = drake.disturbances[1].first_fall_beat
    assert groove.beat_times(9.0)[beat - 1] <= 1.3 < groove.beat_times(9.0)[beat]
    pooled = card.pooled
    assert (pooled.survived, pooled.runs) == (19, 21)
    assert (pooled.first_fall_s, pooled.first_fall_beat) == (1.3, beat)
    low, high = pooled.interval
    words = f"90% ({low:.0%} to {high:.0%}), push 80 N s, in Drake alone"
    assert card.headline == words
    path = card_path(tmp_path / "groove.parquet")
    path.parent.mkdir()
    path.write_text(card.to_text())
    assert read_card(path) == card


def test_a_headline_says_what_is_missing(groove):
    card = make_card(groove, *summaries(False, None), "source")
    assert card.headline.endswith("push none, in Drake alone, unfinished")
    bound = make_card(groove, *summaries(True, 200.0, True), "source")
    assert bound.headline.endswith("push ≥ 200 N s, in Drake alone")
    assert Survival("", 0, 0).interval == (0.0, 1.0)


@pytest.mark.parametrize(
    ("margin", "push"), [(60.0, "60 N s"), (None, "none"), (100.0, "80 N s")]
)
def test_a_headline_quotes_the_lower_of_two_engines(groove, tmp_path, margin, push):
    card = make_card(groove, *in_both(margin), "source")
    drake, mujoco = card.engines
    assert (drake.pooled.survived, mujoco.pooled.survived) == (19, 21)
    assert card.disturbances == drake.disturbances
    words = f"{drake.pooled.words}, push {push}, lower of Drake and MuJoCo"
    assert card.headline == words
    path = card_path(tmp_path / "groove.parquet")
    path.parent.mkdir()
    path.write_text(card.to_text())
    assert read_card(path) == card


def test_a_bound_is_more_than_a_margin_of_its_size(groove):
    disturbances, pushes = in_both(80.0, True)
    card = make_card(groove, disturbances, pushes, "source")
    assert card.least_pushed.engine == "drake"
    assert "push 80 N s" in card.headline


def test_a_card_of_one_engine_of_an_earlier_version_is_read(groove, tmp_path):
    card = make_card(groove, *summaries(), "source")
    tree = json.loads(card.to_text())
    (drake,) = tree.pop("engines")
    del drake["engine"], tree["missing"]
    path = tmp_path / "groove.json"
    path.write_text(json.dumps({**tree, **drake, "format": OF_DRAKE_ALONE}))
    assert read_card(path) == card


def test_a_card_belongs_to_one_build_and_one_source(groove):
    card = make_card(groove, *summaries(), "source")
    key = groove.provenance["key"]
    assert card.is_about(key, "source")
    assert not card.is_about("another", "source")
    assert not card.is_about(key, "newer")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": 3}',
        '{"format": 2}',
        '{"format": 2, "engines": []}',
        '{"format": 2, "engines": [{"engine": "bullet"}]}',
        '{"format": 1}',
        "\x00",
    ],
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
    assert sample(groove, disturbances).meets_standard
    strained = {"strained": 2, "strained_joints": ["l_arm_lwy saturated"]}
    disturbances["cells"][0] |= strained
    words = "nothing but noise: l_arm_lwy saturated (in 2 of 16 runs)"
    card = make_card(groove, disturbances, pushes, "s")
    assert card.headline.endswith(f"; overloaded joints: {words} in Drake")
    taken = sample(groove, disturbances)
    assert words in taken.headline
    assert not taken.meets_standard


def test_a_sample_meets_the_standard_in_each_engine(groove):
    disturbances, _ = in_both()
    taken = [
        SurvivedIn(name, survivals(groove, disturbances, name))
        for name in ("drake", "mujoco")
    ]
    assert Sample("groove", tuple(taken[1:])).meets_standard
    both = Sample("groove", tuple(taken))
    assert not both.meets_standard
    assert "19 of 21 survive in Drake" in both.headline
    assert "21 of 21 survive in MuJoCo" in both.headline
