"""What a plan expects, as it is drawn."""

from dataclasses import replace

import numpy as np
import pytest
from pydrake.math import RotationMatrix

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.horizon.prediction import AHEAD, INSTANTS, Foothold, Prediction
from backbeat.mpc.runs.record import RunRecord, record_of
from backbeat.stage.drawing.arrows import HEAD, WEIGHT_LENGTH
from backbeat.stage.drawing.backdrop import open_meshcat
from backbeat.stage.drawing.predicted_layers import (
    ABOVE,
    SOLID,
    PredictedFootholds,
    PredictedForces,
    PredictedPath,
)
from backbeat.stage.frames.frame import StageFrame
from backbeat.stage.recording.html import page_of
from backbeat.stage.sources.kinds import PlannedSource
from backbeat.stage.sources.run_file import NO_PREDICTIONS, RunFileSource
from tests.backbeat.performances import run_of, swaying
from tests.backbeat.test_page import data
from tests.backbeat.test_stage import Notebook


@pytest.fixture(scope="module")
def sway():
    return swaying(1.0)


@pytest.fixture(scope="module")
def meshcat():
    return open_meshcat()


def moment(sway, **expected):
    state = Configuration(sway.robot_model, sway.motion.q[0])
    return StageFrame(0.0, state, prediction=Prediction(**expected))


def test_a_sole_is_outlined_where_it_will_land_and_a_way_leads_there(meshcat, sway):
    R = RotationMatrix.MakeZRotation(0.4).matrix()
    first, second = np.array([0.3, 0.1, 0.0]), np.array([0.5, 0.15, 0.0])
    landings = tuple(
        Foothold("l_foot", after, R, p) for after, p in ((0.3, first), (0.9, second))
    )
    seen = moment(sway, footholds=landings)
    layer, notes = PredictedFootholds(meshcat, sway.robot_model), Notebook()
    layer.draw(notes, seen)
    folder = f"{layer.path}/l_foot"
    for k, place in enumerate((first, second)):
        X = notes.poses[f"{folder}/landing {k + 1}/sole"]
        np.testing.assert_allclose(X.translation(), place + [0, 0, ABOVE])
        np.testing.assert_allclose(X.rotation().matrix(), R, atol=1e-12)
    foot = seen.state.pose("l_foot").translation()
    way = notes.poses[f"{folder}/landing 1/way"]
    length = notes.scales[f"{folder}/landing 1/way/stretch"][2]
    np.testing.assert_allclose(way.translation(), foot)
    end = way.translation() + length * way.rotation().matrix()[:, 2]
    np.testing.assert_allclose(end, first + [0, 0, ABOVE], atol=1e-9)
    then = notes.poses[f"{folder}/landing 2/way"].translation()
    np.testing.assert_allclose(then, first + [0, 0, ABOVE])
    shown = {path for path, is_shown in notes.shown.items() if is_shown}
    assert f"{folder}/landing 2" in shown
    assert f"{folder}/landing {len(SOLID)}" not in shown
    assert f"{layer.path}/r_foot/landing 1" not in shown


def test_forces_are_arrows_where_they_will_act(meshcat, sway):
    robot = sway.robot_model
    forces = np.full((len(INSTANTS), 2, 6), np.nan)
    forces[1, 0] = [0.2, 0.1, 0.0, 0.0, 0.0, robot.weight]
    seen = moment(sway, patches=("l_foot", "r_foot"), forces=forces)
    layer, notes = PredictedForces(meshcat, robot), Notebook()
    layer.draw(notes, seen)
    (shown,) = [p for p, is_shown in notes.shown.items() if is_shown]
    assert shown == "/predicted forces/in 0.6 s/l_foot"
    np.testing.assert_allclose(notes.poses[shown].translation(), [0.2, 0.1, 0.0])
    assert notes.scales[f"{shown}/shaft/size"][2] + HEAD == pytest.approx(WEIGHT_LENGTH)


def test_without_a_plan_nothing_is_seen(meshcat, sway):
    notes = Notebook()
    robot = sway.robot_model
    for layer in (
        PredictedPath(meshcat),
        PredictedFootholds(meshcat, robot),
        PredictedForces(meshcat, robot),
    ):
        layer.draw(notes, moment(sway))
    assert notes.shown
    assert not any(notes.shown.values())


def test_a_plan_expects_the_landings_and_forces_that_it_has(sway):
    """One foot is lifted from 0.3 to 0.7 s, and set down 10 cm ahead."""
    motion = sway.motion
    standing, p_WC = motion.standing.copy(), motion.p_WC.copy()
    standing[30:70, 0] = False
    p_WC[70:, 0, 0] += 0.1
    stepping = replace(sway, motion=replace(motion, standing=standing, p_WC=p_WC))
    take = PlannedSource(stepping)
    seen = take.frame_at(0.1).prediction
    (landing,) = seen.footholds
    assert landing.contact == motion.contacts[0]
    assert landing.after == pytest.approx(0.6)
    np.testing.assert_allclose(landing.p_WC, p_WC[-1, 0])
    half = 0.5 * sway.robot_model.weight
    assert np.isnan(seen.forces[INSTANTS.index(0.3), 0]).all()
    assert seen.forces[INSTANTS.index(0.9), 0, 5] == pytest.approx(half)
    assert seen.forces[INSTANTS.index(0.3), 1, 5] == pytest.approx(half)
    assert take.frame_at(0.71).prediction.footholds == ()
    assert take.frame_at(0.7 - AHEAD + 0.01).prediction.footholds


def test_a_run_file_without_predictions_says_so(sway):
    whole = record_of(run_of(sway))
    story = {k: v for k, v in whole.story.items() if k != "predictions"}
    page = page_of(RunFileSource(RunRecord(whole.samples, story, "a file"), sway), 5.0)
    assert data(page, "backbeat-info")["note"] == NO_PREDICTIONS
    page = page_of(RunFileSource(whole, sway), 5.0)
    assert data(page, "backbeat-info")["note"] == ""
    names = [layer["name"] for layer in data(page, "backbeat-info")["layers"]]
    assert {"predicted path", "predicted footholds", "predicted forces"} <= set(names)
