"""The command line as a user meets it: what it prints, and where it puts things."""

import dataclasses
import json
import re

import pandas as pd
import pytest

from backbeat.behaviors.kinematic.behavior import KINEMATIC
from backbeat.behaviors.library.store import Library
from backbeat.cli.common.console import Screen
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.runs.file import load_run
from backbeat.optimization.verification.certificate import Certificate

TRACK_KEYS = [
    "behavior",
    "scenario",
    "seed",
    "duration_s",
    "fell",
    "fell_at_s",
    "realtime_factor",
    "tick_ms",
    "plan_ms",
    "plan_failures",
    "plan_overruns",
    "com_error_mm",
    "joint_error_deg",
    "foot_slip_mm",
    "torque_peak_fraction",
    "beat_error_ms",
    "hits",
]


@pytest.fixture
def printed(backbeat):
    """`printed(...)` is what a command that goes well prints."""

    def call(*arguments):
        code, out, err = backbeat(*arguments)
        assert code == 0, err
        return out

    return call


@pytest.fixture
def library(built, library_folder):
    built("posture-tour")
    return library_folder


def test_build_reports_what_verification_found(printed, library):
    results = json.loads(
        printed("build", "posture-tour", "--library", library, "--json")
    )
    (result,) = results
    assert result["name"] == "posture-tour"
    assert result["iterations"] > 3
    assert result["violation"] <= 1e-6
    checks = result["certificate"]
    assert checks["contact_position"]["value"] <= checks["contact_position"]["bound"]


def test_a_second_build_takes_the_behavior_from_the_library(printed, library):
    path = library / "atlas" / "posture-tour.parquet"
    before = path.stat().st_mtime_ns
    printed("build", "posture-tour", "--library", library)
    assert path.stat().st_mtime_ns == before


def test_list_names_what_is_there(printed, library):
    assert "posture-tour" in printed("list", "--library", library)


def test_info_shows_the_certificate(printed, library):
    text = printed("info", "posture-tour", "--library", library)
    assert "friction" in text
    assert "NO" not in text
    header = json.loads(printed("info", "posture-tour", "--library", library, "--json"))
    assert header["name"] == "posture-tour"


def test_info_shows_what_limits_the_motion(printed, library):
    text = printed("info", "posture-tour", "--library", library)
    behavior = Library(library).load("posture-tour")
    limits = behavior.active_limits()
    assert len(limits) > 0
    assert limits["what"].iloc[0] in text


def test_info_draws_what_terms_cost(printed, backbeat, library, tmp_path):
    path = tmp_path / "costs.svg"
    words = "info", "posture-tour", "--library", library
    assert printed(*words, "--costs", path).strip() == str(path)
    behavior = Library(library).load("posture-tour")
    costs = behavior.costs()
    for name, total in costs.totals().items():
        assert (name in path.read_text()) == (total > 0)
    assert costs.span.sum() == pytest.approx(behavior.duration, rel=1e-4)
    last = behavior.iterations()["cost"].iloc[-1]
    assert sum(costs.totals().values()) == pytest.approx(last, rel=1e-4)
    code, _, complaint = backbeat(*words, "--costs", tmp_path / "costs.gif")
    assert (code, "a figure is called NAME.svg" in complaint) == (2, True)
    bare = dataclasses.replace(behavior, provenance={})
    with pytest.raises(BackbeatError, match="build a single motion again"):
        bare.costs()


def test_a_report_is_one_page_with_the_solve(printed, library, tmp_path):
    path = tmp_path / "made" / "tour.html"
    printed("report", "posture-tour", "--library", library, "-o", path)
    page = path.read_text()
    behavior = Library(library).load("posture-tour")
    for check in behavior.certificate.checks:
        assert check.name.replace("_", " ") in page
    for word in (
        "barrier parameter",
        "cost of each term",
        "normal force",
        "l foot",
        "l_leg_kny",
    ):
        assert word in page
    # Nothing comes from elsewhere, and nothing runs.
    assert not re.search(r"<(script|link|img|iframe)", page)
    assert "@import" not in page
    log = behavior.iterations()
    assert list(log["iteration"]) == list(range(len(log)))
    assert log["violation"].iloc[-1] <= 1e-6


def test_a_report_takes_what_others_wrote_as_text(printed, library, tmp_path):
    own = Library(library).load("posture-tour")
    evil = "<script>alert(1)</script>"
    behavior = dataclasses.replace(own, summary=evil, specification=evil)
    Library(tmp_path).save(behavior)
    path = tmp_path / "tour.html"
    printed("report", "posture-tour", "--library", tmp_path, "-o", path)
    assert "<script" not in path.read_text()
    assert "&lt;script&gt;" in path.read_text()


def test_export_writes_joints_by_name(printed, library, tmp_path):
    path = tmp_path / "made" / "tour.csv"
    printed("export", "posture-tour", "--library", library, "-o", path)
    table = pd.read_csv(path)
    assert {"t", "l_leg_kny", "r_arm_lwy"} <= set(table.columns)
    assert table["t"].iloc[-1] > 10
    # Atlas crouches on the tour.
    assert table["l_leg_kny"].max() - table["l_leg_kny"].min() > 0.3


def test_moves_are_listed_with_their_values(printed, monkeypatch):
    """A terminal is not too narrow for them."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(Screen, "is_terminal", True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", printed("moves"))
    lines = [line.rstrip() for line in plain.splitlines()]
    assert any(re.search(r" bounce .* depth 0\.06 m, 0 to 0\.2$", x) for x in lines)
    assert any(x.endswith(" width 0.05 m, -0.08 to 0.08") for x in lines)
    assert max(map(len, lines)) <= 80


def test_track_prints_the_promised_keys_and_stores_the_run(printed, library, tmp_path):
    path = tmp_path / "tour.run.parquet"
    options = ["--library", library, "-o", path, "--duration", 1.0, "--json"]
    metrics = json.loads(printed("track", "posture-tour", *options))
    assert set(TRACK_KEYS) <= set(metrics)
    assert metrics["fell"] is False
    assert metrics["com_error_mm"]["rms"] < 10
    table, story = load_run(path)
    assert story["metrics"]["com_error_mm"] == metrics["com_error_mm"]
    assert {"t", "q.l_leg_kny", "tau.l_leg_kny", "l_foot.fz"} <= set(table.columns)


def test_track_prints_a_table_that_fits_a_terminal(printed, library, tmp_path):
    options = ["--library", library, "-o", tmp_path / "r.parquet", "--duration", 0.5]
    text = printed("track", "posture-tour", *options)
    assert "CoM error" in text
    assert "…" not in text
    assert max(map(len, text.splitlines()[:8])) <= 80


def test_track_leaves_no_earlier_run_without_a_word(
    backbeat, library, tmp_path, monkeypatch
):
    """Under the usual name it is kept; under a name that is asked for, replaced."""
    monkeypatch.chdir(tmp_path)
    text = "behavior: posture-tour\nlead_in: 0.1\nduration: 0.1\n"
    (tmp_path / "brief.yaml").write_text(text)
    options = ["posture-tour", "--library", library, "--scenario", "brief.yaml"]
    kept = "out/posture-tour.earlier-1.run.parquet"

    def said(*more):
        code, _, remarks = backbeat("track", *options, *more)
        assert code == 0
        return remarks

    assert "earlier" not in said()
    assert "earlier" not in said()
    assert f"the earlier run is now {kept}" in said("--seed", 7)
    first, second = load_run(kept)[1], load_run("out/posture-tour.run.parquet")[1]
    assert (first["scenario"]["seed"], second["scenario"]["seed"]) == (0, 7)
    assert "earlier" not in said("-o", "mine.run.parquet")
    remark = "mine.run.parquet takes the place of an earlier file"
    assert remark in said("-o", "mine.run.parquet", "--seed", 7)


def test_a_run_explains_itself(printed, library, tmp_path):
    """It is simulated again, as far as is asked for."""
    path = tmp_path / "r.parquet"
    options = ["--library", library, "-o", path, "--duration", 0.3]
    printed("track", "posture-tour", *options)
    text = printed("explain", path, "--at", 0.2, "--library", library)
    assert text.startswith("at 0.200 s of the behavior")
    assert "center of mass (weight" in text
    assert "inactive limits, by increasing room" in text


def test_a_time_that_a_run_does_not_have_is_refused_at_once(
    printed, backbeat, library, tmp_path
):
    path = tmp_path / "r.parquet"
    options = ["--library", library, "-o", path, "--duration", 0.3]
    printed("track", "posture-tour", *options)
    code, _, err = backbeat("explain", path, "--at", 99, "--library", library)
    assert code == 2
    assert "nothing is known of 99.00 s" in err
    assert "once more" not in err


@pytest.fixture
def unverified(built, tmp_path):
    """A library whose only behavior, `stand`, has a foot that slips."""
    behavior = built("stand")
    checks = [
        dataclasses.replace(c, value=0.04, time=1.5, where="l_foot")
        if c.name == "contact_slip"
        else c
        for c in behavior.certificate.checks
    ]
    behavior = dataclasses.replace(behavior, certificate=Certificate(tuple(checks)))
    folder = tmp_path / "unverified"
    Library(folder).save(behavior)
    return folder


CLOSED_LOOPS = {
    "track": ["--duration", "0.1", "-o"],
    "play": ["--simulated", "--record"],
}


@pytest.mark.parametrize("command", CLOSED_LOOPS)
def test_no_robot_follows_what_fails_verification(
    backbeat, unverified, tmp_path, command
):
    options = [*CLOSED_LOOPS[command], tmp_path / "out", "--library", unverified]
    code, _, complaint = backbeat(command, "stand", *options)
    assert code == 2
    (sentence,) = complaint.splitlines()
    assert sentence.startswith(
        "backbeat: stand fails verification: contact_slip is 0.04 at 1.50 s (l_foot), "
        "allowed is 0.005;"
    )
    assert not (tmp_path / "out").exists()


def test_a_kinematic_preview_is_listed_and_not_tracked(
    built, backbeat, printed, tmp_path
):
    preview = dataclasses.replace(
        built("stand"), kind=KINEMATIC, certificate=Certificate(()), provenance={}
    )
    store = Library(tmp_path)
    store.save(preview)
    assert store.row("stand")["duration_s"] == preview.duration
    assert KINEMATIC.split()[0] in printed("list", "--library", tmp_path)
    code, _, complaint = backbeat("track", "stand", "--library", tmp_path)
    assert code == 2
    assert "which no robot can follow" in complaint


def test_what_fails_verification_is_followed_on_demand(printed, unverified, tmp_path):
    options = [*CLOSED_LOOPS["track"], tmp_path / "r.parquet", "--library", unverified]
    printed("track", "stand", *options, "--unverified")
    assert (tmp_path / "r.parquet").exists()


def test_a_plan_that_fails_verification_can_be_looked_at(printed, unverified, tmp_path):
    printed("play", "stand", "--record", tmp_path / "a.html", "--library", unverified)
    assert (tmp_path / "a.html").exists()
