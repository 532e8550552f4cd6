"""Markers are found where a motion has them, and moves have them on their beats."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backbeat.behaviors.building.build import Reports, solve
from backbeat.behaviors.dance.arrangement import place_moves
from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.dance.markers import (
    Traced,
    marker_events,
    marker_figures,
    measure_markers,
    planned,
    pooled_figures,
)
from backbeat.behaviors.dance.vocabulary.descriptions import MoveDescription
from backbeat.behaviors.dance.vocabulary.move_file import shipped_moves
from backbeat.behaviors.library.behavior import Event, Mount, make_robot
from backbeat.behaviors.music.notation.meter import MeterMap
from backbeat.behaviors.music.notation.tempo import Tempo
from tests.tolerances import MARKER_MEAN, MARKER_READ

ROBOT = make_robot("atlas", (), Mount())
MOVES = shipped_moves()
T = np.arange(0.0, 4.0, 0.005)
TEMPO = Tempo(60.0)


def traced(channel, values, loaded=None):
    q = np.tile(ROBOT.posture("stand"), (len(T), 1))
    q[:, ROBOT.base_positions + ROBOT.joint_index(channel)] += values
    return Traced(ROBOT, T, q, {"l_foot": loaded} if loaded is not None else {})


def marker(time, channel, extreme, within=0.5):
    return Event(
        time, "marker", "mine: there", "arms", 0, within, (0, 0), channel, extreme
    )


def events(track, description):
    placed = place_moves({track: [description]}, MOVES, MeterMap(), 1.0, "mine")
    return marker_events(placed, TEMPO, ROBOT)


@given(st.floats(-0.3, 0.3), st.sampled_from(["most", "least"]))
@settings(max_examples=30)
def test_an_extreme_is_found_between_samples(late, extreme):
    sign = 1.0 if extreme == "most" else -1.0
    wave = sign * 0.2 * np.cos(2 * np.pi * (T - 2.0 - late))
    table = measure_markers(
        [marker(2.0, "l_arm_shx", extreme)], traced("l_arm_shx", wave)
    )
    assert table["error"][0] == pytest.approx(late, abs=MARKER_READ)


def test_an_extreme_that_is_not_there_is_missing():
    sought = [marker(2.0, "l_arm_shx", "most")]
    (found,) = measure_markers(sought, traced("l_arm_shx", 0.1 * T))["error"]
    assert np.isnan(found)
    (figures,) = marker_figures(measure_markers(sought, traced("l_arm_shx", 0.1 * T)))
    assert figures["missing"] == 1
    assert figures["mean_ms"] is None


def test_a_foot_lands_when_it_begins_to_carry_weight_for_good():
    up = (T > 1.5) & (T < 2.03)
    loaded = ~up
    # A brush of one sample on the way down.
    loaded[np.searchsorted(T, 1.97)] = True
    motion = traced("l_arm_shx", 0.0 * T, loaded)
    for within, late in ((0.3, 0.03), (0.02, np.nan)):
        table = measure_markers([marker(2.0, "l_foot", "lands", within)], motion)
        assert table["error"][0] == pytest.approx(late, abs=0.003, nan_ok=True)


def test_markers_beyond_the_end_are_left_out():
    sought = [marker(t, "l_arm_shx", "most") for t in (2.0, 3.8)]
    table = measure_markers(sought, traced("l_arm_shx", np.cos(2 * np.pi * T)))
    assert table["time"].tolist() == [2.0]


def test_a_mirrored_marker_is_the_other_side():
    plain = events("legs", MoveDescription("kick", 2.0))[0]
    other = events("legs", MoveDescription("kick", 2.0, mirror=True))[0]
    assert (plain.channel, plain.extreme) == ("r_foot.x", "most")
    assert (other.channel, other.extreme) == ("l_foot.x", "most")
    assert other.what == "kick: left foot farthest ahead"
    tap = events("legs", MoveDescription("tap", 2.0, mirror=True))[0]
    assert (tap.channel, tap.extreme) == ("l_foot.y", "most")


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("width", [0.06, -0.06])
def test_a_marker_is_told_as_it_is_seen(width, mirror):
    row = MoveDescription("sway", 2.0, beats=8.0, values={"width": width})
    row.mirror = mirror
    found = events("legs", row)[0]
    is_right = (width < 0) != mirror
    assert found.extreme == ("least" if is_right else "most")
    assert found.what.endswith("the right" if is_right else "the left")


def test_a_move_of_no_size_has_no_markers():
    row = MoveDescription("sway", 2.0, beats=8.0, values={"width": 0.0})
    assert events("legs", row) == []


@given(st.lists(st.floats(-0.1, 0.1) | st.just(float("nan")), min_size=2, max_size=9))
def test_pooled_runs_have_the_figures_of_one_table(errors):
    table = pd.DataFrame(
        {"move": "sway", "track": "legs", "what": "", "time": 0.0, "error": errors}
    )
    parts = [marker_figures(table[:1]), marker_figures(table[1:])]
    pooled = pooled_figures([f for part in parts for f in part])
    (one,), (other,) = pooled, marker_figures(table)
    assert one.keys() == other.keys()
    for key in one:
        assert one[key] == pytest.approx(other[key], abs=1e-5)


@pytest.fixture(scope="module")
def danced():
    """What is done once a beat, with arms and head, solved."""
    dance = Choreography("mine", beats=12)
    dance.legs("bounce", 2, beats=7).arms("wave", 2, beats=7).head("nod", 2, beats=7)
    quiet = Reports(lambda share, what: None, lambda entry: None)
    return solve(dance.dance, dance.text(), Path(), "", quiet)


def test_a_plan_has_its_markers_on_the_beat(danced):
    table = measure_markers(danced.events, planned(danced))
    assert {"bounce", "wave", "nod"} == set(table["move"])
    assert table["error"].abs().max() <= MARKER_MEAN


def test_a_move_is_as_large_as_it_says(danced):
    """Smoothness may not eat up what is done once a beat."""
    inside = (danced.motion.t * 98 / 60 > 3.5) & (danced.motion.t * 98 / 60 < 7.5)
    depth = MOVES["bounce"].parameters["depth"].default
    assert np.ptp(danced.com[inside, 2]) == pytest.approx(depth, rel=0.15)
    robot = danced.robot_model
    for joint, size in (
        ("neck_ay", MOVES["nod"].parameters["angle"].default),
        ("l_arm_elx", 2 * MOVES["wave"].parameters["angle"].default),
    ):
        column = robot.base_positions + robot.joint_index(joint)
        assert np.ptp(danced.motion.q[inside, column]) == pytest.approx(size, rel=0.15)
