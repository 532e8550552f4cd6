"""A run once more: the same bit for bit, or where it is not."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backbeat.behaviors.library.store import Library
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.analysis.run_explanation import explain_run
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.runs.file import load_run, run_weights, save_run, with_story
from backbeat.mpc.runs.replay import compare_samples
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.stage.live.simulation import LiveSimulation
from tests.backbeat.performances import swaying


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A library, and the run file of a show that somebody played with."""
    folder = tmp_path_factory.mktemp("played")
    behavior = swaying(1.0)
    Library(folder).save(behavior)
    live = LiveSimulation(behavior, Scenario.of(behavior="sway", lead_in=0.1))
    live.advance(0.13)
    live.apply("friction", 0.5)
    live.push([10.0, 0.0, 0.0], 0.05)
    live.advance(0.0371)
    live.now()
    live.apply("timing", False)
    live.advance(0.1)
    return folder, live.save_run(folder / "live.run.parquet")


def rewrite(path, target, change):
    """A copy of a run file in which samples or story are changed."""
    table = pq.read_table(path)
    story = json.loads(table.schema.metadata[b"backbeat-run"])
    frame = table.to_pandas()
    change(frame, story)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(with_story(table, frame, story), target)
    return target


def test_a_show_that_was_played_with_is_the_same_again(backbeat, played):
    folder, path = played
    _, story = load_run(path)
    assert [sorted(e) for e in story["scenario"]["events"]] == [
        ["friction", "time"],
        ["time", "timing"],
    ]
    assert len(story["scenario"]["pushes"]) == 1
    assert len(story["robot_hash"]) == len(story["code"]) == 64
    assert {"python", "drake", "piqp"} <= set(story["versions"])
    code, text, _ = backbeat("replay", path, "--library", folder)
    assert text == f"{path}: the same bit for bit.\n"
    assert code == 0


def test_a_run_with_weights_of_its_own_keeps_them(backbeat, tmp_path):
    """Replayed and explained with them; a string names the file as a path does."""
    behavior, weights = (
        swaying(1.0),
        PredictiveWeights(com=40.0, max_step_length=(0.4, 0.5)),
    )
    Library(tmp_path).save(behavior)
    push = Push(0.05, 0.05, [0.0, 10.0, 0.0])
    scenario = Scenario.of(behavior="sway", lead_in=0.1, duration=0.3, pushes=[push])
    run = run_scenario(scenario, behavior, weights)
    path = str(tmp_path / "own.run.parquet")
    save_run(run, path, run_metrics(run))
    assert run_weights(load_run(path)[1]) == ControllerWeights(weights)
    code, text, _ = backbeat("replay", path, "--library", tmp_path)
    assert (code, text) == (0, f"{path}: the same bit for bit.\n")
    explained = explain_run(run, 0.2).plan
    (plan,) = (p for p in run.plans if abs(p.time - 0.1 - explained.time) < 1e-9)
    cost = pytest.approx(plan.objective, rel=1e-3)
    assert sum(explained.costs.values()) == cost
    usual = explain_run(replace(run, weights=ControllerWeights()), 0.2).plan
    assert sum(usual.costs.values()) != cost


def test_weights_of_a_file_are_kept_replayed_and_compared(backbeat, tmp_path):
    """All numbers of a run count, and only those that differ are listed."""
    Library(tmp_path).save(swaying(1.0))
    own = tmp_path / "own.yaml"
    own.write_text(
        "predictive: {com: 40}\nstance: {com_stiffness: 100}\nrecovery: {watch: 0.5}\n"
    )
    folder = ("--library", tmp_path)
    runs = [str(tmp_path / f"{name}.run.parquet") for name in ("usual", "own")]
    for path, more in zip(runs, ((), ("--weights", own)), strict=True):
        options = ("--duration", "0.1", "-o", path, *more)
        code, _, said = backbeat("track", "sway", "--unverified", *folder, *options)
        assert code in (0, 1), said
    code, text, _ = backbeat("replay", runs[1], *folder)
    assert (code, text) == (0, f"{runs[1]}: the same bit for bit.\n")
    page = tmp_path / "page.html"
    code, text, _ = backbeat("compare", *runs, "-o", page)
    assert code == 0
    rows = [line.split() for line in text.splitlines() if line.split()]
    assert ["weights.predictive.com", "100", "40"] in rows
    assert ["weights.recovery.watch", "0.03", "0.5"] in rows
    named = [row[0] for row in rows if row[0].startswith("weights.")]
    assert sorted(named) == [
        "weights.predictive.com",
        "weights.recovery.watch",
        "weights.stance.com_stiffness",
    ]
    own.write_text("predictiv: {com: 40}\n")
    code, _, said = backbeat("track", "sway", *folder, "--weights", own)
    assert code == 2
    assert "did you mean predictive" in said


def test_weights_of_another_version_are_a_sentence():
    with pytest.raises(BackbeatError, match="key of predictive in the run's weights"):
        run_weights({"weights": {"mass": 1.0}})


def test_a_changed_bit_is_found(backbeat, played, tmp_path):
    folder, path = played

    def change(frame, story):
        frame.loc[20, "tau.back_bky"] = np.nextafter(frame["tau.back_bky"][20], 1e9)

    other = rewrite(path, tmp_path / "other.run.parquet", change)
    code, text, _ = backbeat("replay", other, "--library", folder, "--json")
    found = json.loads(text)
    assert code == 1
    assert not found["same"]
    assert found["difference"]["column"] == "tau.back_bky"
    assert found["difference"]["columns"] == 1
    assert found["difference"]["time"] == pytest.approx(load_run(path)[0]["t"][20])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"behavior_key": "0" * 64}, "another build of the behavior"),
        ({"robot_hash": "0" * 64}, "other files of the robot"),
        ({"code": "0" * 64}, "other code of Backbeat"),
        ({"machine": {}}, "processor an unknown one"),
        ({"versions": {"drake": "1.0"}}, "drake 1.0 and not"),
    ],
)
def test_a_run_of_other_origin_is_refused(backbeat, played, tmp_path, change, sentence):
    folder, path = played
    other = rewrite(
        path, tmp_path / "o.run.parquet", lambda frame, story: story.update(change)
    )
    code, _, complaint = backbeat("replay", other, "--library", folder)
    assert code == 2
    assert sentence in complaint
    assert complaint.count("\n") == 1
    assert "--anyway" in complaint


def frame(**changes):
    plain = {"t": [0.0, 0.005, 0.01], "x": [1.0, np.nan, 3.0], "s": ["a", "b", "c"]}
    return pd.DataFrame(plain | changes)


def test_differences_of_samples():
    assert compare_samples(frame(), frame()) is None
    walls = {"plan.wall_ms": [1.0, 2.0, 3.0]}
    slower = {"plan.wall_ms": [2.0, 2.0, 3.0]}
    assert compare_samples(frame(**walls), frame(**slower)) is None
    found = compare_samples(frame(), frame(x=[1.0, np.nan, 3.5], s=["a", "b", "d"]))
    assert (found.time, found.column, found.columns) == (0.01, "x", 2)
    assert (found.worst, found.greatest) == ("x", 0.5)
    found = compare_samples(frame(), frame(s=["a", "z", "c"]))
    assert (found.time, found.column, found.was, found.now) == (0.005, "s", "b", "z")
    assert compare_samples(frame(), frame(x=[1.0, np.nan, -3.0])).greatest == 6.0
    # Zero and minus zero are two.
    zero = frame(x=[0.0, 0.0, 0.0])
    assert compare_samples(zero, frame(x=[0.0, -0.0, 0.0])).time == 0.005
    assert "3 samples" in str(compare_samples(frame(), frame().iloc[:2]))
    assert "nothing" in str(compare_samples(frame(), frame(y=[0.0, 0.0, 0.0])))


def test_a_show_that_has_not_begun_cannot_be_saved(tmp_path):
    live = LiveSimulation(swaying(1.0), Scenario.of(behavior="sway", lead_in=0.1))
    with pytest.raises(BackbeatError, match="nothing of the behavior"):
        live.save_run(tmp_path / "r.run.parquet")
    live.apply("friction", 0.3)
    live.restart()
    live.advance(0.05)
    assert live.settings()["friction"] == 0.3
    live.reset()
    live.advance(0.05)
    assert live.settings()["friction"] == 0.8
