"""The page of a run: whole, self-contained, and honest about what it lacks."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from backbeat.behaviors.library.store import Library
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.runs.file import load_run, save_run, with_story
from backbeat.mpc.runs.record import read_run, record_of
from backbeat.mpc.scenario.specification import read_scenario
from backbeat.report.pages.run import run_page
from backbeat.report.pages.run_words import events, result_sentence, scenario_yaml
from backbeat.report.plots.joints import joint_use
from backbeat.report.plots.run_curves import MOST_POINTS, lateness, patch_words, thinned
from backbeat.sound.notes import performed
from backbeat.stage.sources.kinds import SimulatedSource
from backbeat.stage.sources.run_file import RunFileSource
from tests.backbeat.performances import drumming, run_of, swaying

# Whatever a page would have to fetch.
FETCHED = re.compile(r"(src|href)=\"(?!#)|@import|<script|url\((?!#)")


@pytest.fixture(scope="module")
def pushed():
    """A run with two pushes; the second comes when it is over."""
    run = run_of(swaying(2.0))
    pushes = [Push(0.5, 0.1, [0.0, 60.0, 0.0]), Push(9.0, 0.1, [1.0, 0.0, 0.0])]
    scenario = run.scenario.changed(pushes=pushes, friction=0.4)
    return replace(run, scenario=scenario)


@pytest.fixture(scope="module")
def record(pushed):
    return record_of(pushed)


@pytest.fixture(scope="module")
def page(record, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "<s>.parquet"
    return run_page(record, path, note="No <b>show</b>.")


def test_a_page_tells_a_run_and_needs_nothing_else(page):
    assert not FETCHED.search(page)
    assert "No &lt;b&gt;show" in page
    assert "<s>" not in page
    for section in ("Balance", "Contact forces", "Predicted and measured", "Timing"):
        assert f">{section}</h2>" in page
    # Margins, from above, forces, expected, phase, joints, solver, and six limbs.
    assert page.count("<svg") == 7 + 6
    for words in ("0, 60, 0", "friction 0.4", "l_arm_elx", "backbeat track --scenario"):
        assert words in page


def test_the_page_of_a_drummer_tells_every_hit_in_bars():
    story = record_of(run_of(drumming(True, 3.0))).story
    page = run_page(record_of(run_of(drumming(True, 3.0))), "a.run.parquet")
    hits = story["hits"]
    assert hits
    assert not any(hit["made"] for hit in hits)
    # Nothing was struck: all of them are told as missed, and in the whole list.
    assert page.count("<td>missed</td>") == 2 * len(hits)
    assert page.count(">1:1.5</td>") == 2
    assert "<!-- bar -->" in page


def test_a_page_has_the_jerk_as_planned_and_as_measured(record, page):
    table = page.split("<h3>Jerk</h3>")[1].split("</table>")[0]
    rows = re.findall(r"<tr><td>(.*?)</td>(.*?)</tr>", table, re.DOTALL)
    jerk = record.metrics["jerk"]
    groups = list(jerk["planned"])
    assert [name for name, _ in rows] == [patch_words(g) for g in groups]
    for group, (_, cells) in zip(groups, rows, strict=True):
        told = re.findall(r"<td[^>]*>(.*?)</td>", cells)
        planned, measured = jerk["planned"][group], jerk["measured"][group]
        assert [int(told[0]), int(told[1])] == [
            round(planned["rms"]),
            round(planned["most"]),
        ]
        assert [int(told[3]), int(told[4]), told[5]] == [
            round(measured["rms"]),
            round(measured["most"]),
            measured["joint"],
        ]
        assert measured["most"] >= measured["rms"]


def test_the_scenario_on_a_page_is_that_of_the_run(pushed):
    text = scenario_yaml(record_of(pushed))
    assert read_scenario(text, "the page") == pushed.scenario
    # What is the default anyway is left out.
    assert "contact_model" not in text


def test_the_result_in_a_sentence(pushed):
    record = record_of(pushed)
    assert result_sentence(record).startswith(
        "The robot stayed up for all of the 2.0 s and recovered from 0 of 2 pushes (2 "
        "too late in the run to be judged); its CoM error was "
    )
    fallen = record_of(replace(pushed, fell_at=1.25))
    assert result_sentence(fallen).startswith(
        "The robot fell at 1.2 s and recovered from 0"
    )
    drummed = record_of(run_of(drumming(False, 2.0)))
    assert "stayed up for all of the 2.0 s and made 0 of 5 hits;" in result_sentence(
        drummed
    )


def test_settings_that_changed_are_told(pushed, tmp_path):
    """At half past one the tempo changes, and the phase is measured against it."""
    changes = [
        SettingEvent(time=1.5, tempo=0.8),
        SettingEvent(time=0.6, steps=False, left_hand=[0.1, 0.0, 0.0]),
    ]
    scenario = pushed.scenario.changed(events=changes, pushes=[])
    record = record_of(replace(pushed, scenario=scenario))
    assert events(record) == [
        (0.6, "steps off, left hand 0.1 0 0 m"),
        (1.5, "tempo 0.8"),
    ]
    t, late = lateness(record)
    # The plans of this run go on at the authored tempo, and so run ahead of it.
    assert late[t < 1.5] == pytest.approx(0.0, abs=1e-6)
    assert late[-1] < -10.0
    assert read_scenario(scenario_yaml(record), "the page") == scenario


def test_joints_use_shares_of_their_limits(pushed):
    effort = pushed.effort.copy()
    robot = pushed.behavior.robot_model
    elbow = robot.joint_index("l_arm_elx")
    effort[100:, elbow] = -0.5 * robot.effort_limits[elbow]
    use = joint_use(record_of(replace(pushed, effort=effort))).loc["l_arm_elx"]
    assert use["torque"] == pytest.approx(0.5)
    assert 0.3 < use["torque_rms"] < 0.5
    angles = pushed.x[pushed.t >= 0, robot.base_positions + elbow]
    range_ = robot.position_upper[elbow] - robot.position_lower[elbow]
    assert use["high"] - use["low"] == pytest.approx(np.ptp(angles) / range_)


def test_thin_curves_keep_their_peaks():
    t = np.linspace(0.0, 60.0, 12001)
    values = np.sin(t)
    values[7777], values[3001], values[100:110] = 50.0, -60.0, np.nan
    few_t, few = thinned(t, values)
    assert len(few) <= 2 * MOST_POINTS
    assert np.nanmax(few) == 50.0
    assert few_t[np.nanargmin(few)] == t[3001]
    assert few_t[-1] == t[-1]
    assert thinned(t[:50], values[:50])[0] is not t
    assert len(thinned(t[:50], values[:50])[0]) == 50


def test_a_filed_run_looks_and_sounds_like_the_run(tmp_path):
    run = run_of(drumming(False, 2.0))
    record = read_run(save_run(run, tmp_path / "d.run.parquet", run_metrics(run)))
    filed, live = RunFileSource(record, run.behavior), SimulatedSource(run)
    assert (filed.start, filed.end) == (live.start, live.end)
    for t in (-0.15, 0.4, 1.234, 1.9):
        seen, there = filed.frame_at(t), live.frame_at(t)
        assert np.array_equal(seen.state.q, there.state.q)
        assert seen.standing == there.standing
        for name, force in there.forces.items():
            assert np.array_equal(seen.forces[name].force, force.force)
        # Single precision, and a hundredth of a second between samples.
        assert seen.ghost == pytest.approx(there.ghost, abs=1e-3)
        assert seen.planned_forces.keys() == there.planned_forces.keys()
        assert seen.prediction.com == pytest.approx(there.prediction.com, abs=1e-4)
    assert filed.performance().notes == performed(run).notes


@pytest.fixture
def told(monkeypatch):
    """What pages are told of recordings; the pages themselves stay empty."""
    calls = []

    def page(_record, _path, recording="", link="", note=""):
        calls.append((recording, link, note))
        return ""

    monkeypatch.setattr("backbeat.report.pages.run.run_page", page)
    return calls


@pytest.fixture
def filed(tmp_path):
    """A run file and the library with its behavior."""
    run = run_of(swaying(0.5))
    Library(tmp_path / "library").save(run.behavior)
    return save_run(run, tmp_path / "s.run.parquet", run_metrics(run))


def test_the_recording_is_in_the_page_or_beside_it(backbeat, filed, tmp_path, told):
    options = ["--library", tmp_path / "library", "-o", tmp_path / "page.html"]
    beside = tmp_path / "page.recording.html"
    assert backbeat("report", filed, *options)[0] == 0
    assert not beside.exists()
    assert backbeat("report", filed, *options, "--recording", "link")[0] == 0
    (embedded, *nothing), linked = told
    assert nothing == ["", ""]
    assert "meshcat" in embedded.lower()
    assert linked == ("", "page.recording.html", "")
    assert "meshcat" in beside.read_text().lower()
    beside.unlink()
    assert backbeat("report", filed, *options, "--recording", "none")[0] == 0
    assert told[2] == ("", "", "Left out, as asked for.")
    assert not beside.exists()


def test_without_the_behavior_there_is_no_recording(backbeat, filed, tmp_path, told):
    other = run_of(swaying(0.7)).behavior
    Library(tmp_path / "other").save(replace(other, provenance={"key": "another"}))
    for library, words in (("none", "unknown behavior"), ("other", "is not the one")):
        options = ["--library", tmp_path / library, "-o", tmp_path / "p.html"]
        assert backbeat("report", filed, *options)[0] == 0
        assert told[-1][0] == ""
        assert words in told[-1][2]
        (tmp_path / "p.html").unlink()
        code, _, complaint = backbeat("report", filed, *options, "--recording", "link")
        assert code == 2
        assert words in complaint
        assert not (tmp_path / "p.html").exists()


def test_files_of_earlier_backbeats_are_refused_in_a_sentence(backbeat, filed):
    table = pq.read_table(filed)
    old = filed.with_name("old.run.parquet")
    less = table.drop_columns(["phase"])
    frame, story = load_run(filed)
    whole = with_story(less, frame.drop(columns="phase"), story)
    for content, sentence in (
        (whole, "which did not keep 'phase'; track sway again"),
        (less, "its contents do not match their checksum"),
        (less.replace_schema_metadata(_without_checksum(less)), "without a checksum"),
    ):
        pq.write_table(content, old)
        code, _, complaint = backbeat("report", old)
        assert code == 2
        assert complaint.count("\n") == 1
        assert sentence in complaint
        assert not old.with_suffix(".html").exists()
    # Others still read it.
    assert len(pd.read_parquet(old)) == len(table)


def _without_checksum(table):
    kept = {k: v for k, v in table.schema.metadata.items() if b"sha256" not in k}
    assert len(kept) == len(table.schema.metadata) - 1
    return kept
