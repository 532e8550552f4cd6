"""A user's mistake: one clear sentence, exit code 2, and nothing half-written."""

import re

import pandas as pd
import pytest

from backbeat.cli.main import main

POSTURE = """\
kind: posture
name: mine
summary: Mine.
start: stand
stations:
  - {posture: stand, move: 0.5, hold: 0.5}
"""
SCORE = """\
title: Mine
bpm: 98
beats_per_bar: 4
steps_per_beat: 2
parts:
  - name: ready
    hold: 4
    rest: {left: snare, right: floor_tom}
  - name: verse
    left:  "- 3 - 3 - 3 - 3"
    right: "7 - 7 - 7 - 7 -"
"""
DRUMMING = """\
kind: drumming
name: mine
summary: Mine.
score: mine
seat: chair
"""


@pytest.fixture
def refused(monkeypatch, capsys, tmp_path):
    """`refused(...)` calls the command and returns the sentence it ends with.

    It is called where it may write: the folder of the sources may be read-only.
    """
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        before = contents(tmp_path)
        monkeypatch.setattr("sys.argv", ["backbeat", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        assert ended.value.code == 2
        assert captured.out == ""
        assert contents(tmp_path) == before
        sentences = [s for s in captured.err.splitlines() if s.startswith("backbeat:")]
        assert len(sentences) == 1, captured.err
        assert "Traceback" not in captured.err
        assert ends_once(sentences[0])
        return sentences[0]

    return call


def ends_once(sentence):
    """Whether a sentence ends, and does so once and not in the middle."""
    return re.search(r"(?<![.?])[.?]$", sentence) and "?." not in sentence


def contents(folder):
    """Every file with its bytes."""
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("posture: stand", "posture: stend", "'stend'; did you mean stand"),
        (
            "posture: stand",
            "posture: stand, joints: [l_leg_knee]",
            "'l_leg_knee'; did you mean l_leg_kny",
        ),
        ("hold: 0.5", "hodl: 0.5", "'hodl'; did you mean hold"),
        ("kind: posture", "kind: postur", "'postur'; did you mean posture?"),
        ("name: mine", "name: ../mine", "is not a behavior name"),
        ("move: 0.5", "move: -1", "move"),
        ("start: stand", "start: [", "not valid YAML"),
    ],
)
def test_a_posture_specification(refused, tmp_path, old, new, sentence):
    assert old in POSTURE
    path = write(tmp_path / "mine.yaml", POSTURE.replace(old, new, 1))
    assert sentence in refused("build", path, "--library", tmp_path / "library")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("bpm: 98", "bpm: 0", "bpm"),
        ("bpm: 98", "bpm: .nan", "bpm"),
        ("7 - 7", "9 - 7", "9"),
        ("- 3 - 3 - 3 - 3", "- cowbell - 3 - 3 - 3", "cowbell"),
        ("- 3 - 3 - 3 - 3", "- 3 - 3", "verse"),
    ],
)
def test_a_score(refused, tmp_path, old, new, sentence):
    assert old in SCORE
    write(tmp_path / "scores" / "mine.yaml", SCORE.replace(old, new, 1))
    path = write(tmp_path / "mine.yaml", DRUMMING)
    assert sentence in refused("build", path, "--library", tmp_path / "library")


def test_a_drum_out_of_reach(refused, tmp_path):
    # The left hand cannot get at the ride cymbal, far on the right.
    score = SCORE.replace("- 3 - 3 - 3 - 3", "- 7 - 7 - 7 - 7")
    write(tmp_path / "scores" / "mine.yaml", score)
    path = write(tmp_path / "mine.yaml", DRUMMING)
    sentence = refused("build", path, "--library", tmp_path / "library")
    assert "the left hand cannot reach the ride" in sentence


def test_a_specification_that_does_not_exist(refused, tmp_path):
    sentence = refused("build", "groov", "--library", tmp_path)
    assert sentence == "backbeat: unknown behavior 'groov'; did you mean groove?"


@pytest.mark.parametrize(
    "name", ["../groove", "a/b", ".hidden", "", "Groove", "x" * 99]
)
@pytest.mark.parametrize("command", ["info", "track", "export", "play"])
def test_a_hostile_name(refused, tmp_path, command, name):
    if command == "track" and not name:
        assert "name a behavior" in refused(command, name, "--library", tmp_path)
        return
    sentence = refused(command, name, "--library", tmp_path)
    assert "is not a behavior name" in sentence


@pytest.mark.parametrize("command", ["build", "check"])
def test_a_file_that_is_no_specification(refused, tmp_path, command):
    table = write(tmp_path / "take.dat", "t\n0\n")
    for path, what in ((table, "no specification"), (tmp_path, "a folder")):
        sentence = refused(command, path)
        assert f"{path} is {what}; name a file that ends in .yaml, .yml" in sentence


@pytest.mark.parametrize("command", ["info", "track", "export", "report", "play"])
def test_a_file_in_place_of_a_behavior(refused, tmp_path, command):
    path = write(tmp_path / "mine.yaml", POSTURE)
    sentence = refused(command, path, "--library", tmp_path / "library")
    assert (
        f"{path} is not a behavior name but a file; 'backbeat build' makes" in sentence
    )


@pytest.mark.parametrize("command", [["list"], ["info", "mine"], ["card"]])
def test_a_library_that_is_a_file(refused, tmp_path, command):
    path = write(tmp_path / "mine.yaml", POSTURE)
    assert "is a file; a library is a folder" in refused(*command, "--library", path)


def test_a_library_that_cannot_be_written_is_told_before_the_work(
    refused, tmp_path, monkeypatch
):
    monkeypatch.setattr("backbeat.jobs.building.run_jobs", None)
    path = write(tmp_path / "mine.yaml", POSTURE)
    assert "cannot write" in refused("build", path, "--library", path)


def test_a_behavior_that_was_not_built(refused, built, library_folder):
    built("stand")
    assert "did you mean stand" in refused("track", "stnd", "--library", library_folder)


@pytest.mark.parametrize("command", ["info", "track", "export", "play"])
@pytest.mark.parametrize("damage", ["truncated", "edited"])
def test_a_damaged_library_file(
    refused, built, library_folder, tmp_path, command, damage
):
    built("stand")
    data = bytearray((library_folder / "atlas" / "stand.parquet").read_bytes())
    if damage == "truncated":
        data = data[: len(data) // 2]
    else:
        data[len(data) // 3] ^= 0xFF
    (tmp_path / "stand.parquet").write_bytes(data)
    sentence = refused(command, "stand", "--library", tmp_path)
    assert "cannot be used" in sentence
    assert "backbeat build stand --force" in sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "No such file"),
        ("behavior: [", "not valid YAML"),
        ("behaviour: stand", "behaviour"),
        (
            "behavior: stand\nevents: [{time: 30, timing: false}]",
            "an event at 30 s comes after the run of stand, which ends at 10.50 s",
        ),
        ("behavior: stand\npushes:\n- {time: 1, body: pelvi}", "pelvi"),
    ],
)
def test_a_scenario(refused, built, library_folder, tmp_path, text, sentence):
    built("stand")
    path = tmp_path / "scenario.yaml"
    if text is not None:
        path.write_text(text)
    answer = refused("track", "--scenario", path, "--library", library_folder)
    assert re.search(sentence, answer)


def test_a_push_that_is_not_one(refused, tmp_path):
    answer = refused("track", "stand", "--push", "1,2", "--library", tmp_path)
    assert "TIME,X,Y,Z" in answer


@pytest.mark.parametrize("time", [99, -1])
def test_a_push_that_would_never_come(refused, built, library_folder, time):
    built("stand")
    options = [f"--push={time},60,0,0", "--duration", 2, "--library", library_folder]
    sentence = refused("track", "stand", *options)
    assert f"a push at {time} s is not in the run" in sentence
    assert "goes from -0.5 to 2.00 s" in sentence


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--remote", "nowhere"], "is not HOST:PORT"),
        (["--remote", "127.0.0.1:1"], "no controller answers at 127.0.0.1:1"),
        (["--preset", "momentm"], "'momentm'; did you mean momentum"),
    ],
)
def test_a_controller_that_is_none(refused, built, library_folder, options, sentence):
    built("stand")
    assert sentence in refused("track", "stand", *options, "--library", library_folder)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--port", 80], "--port 80 is not between"),
        (["--host", "256.0.0.1"], "cannot listen at '256.0.0.1'"),
        (
            ["--host", "nope.invalid"],
            "'nope.invalid': there is no machine of that name",
        ),
        (["--host", 70 * "a"], "choose another --host, for instance 127.0.0.1"),
        (["--host", "192.0.2.1"], "choose another --host."),
        (["--host", ""], "serve needs a --host"),
        (["nowhere"], "unknown behavior in library"),
    ],
)
def test_a_server_that_cannot_be(refused, tmp_path, options, sentence):
    assert sentence in refused("serve", *options, "--library", tmp_path)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["report", "stand", "--recording", "link"], "--recording is of a run"),
        (["report", "stand", "-o", "."], "cannot write .: it is a folder"),
        (["export", "stand", "-o", "-"], "no name of a file"),
        (["export", "stand", "--midi", "m/a.mid", "--wav", "m"], "m cannot be a file"),
        (["lint", "arm.urdf", "-o", "b.urdf", "--no-drake"], "say --fix too"),
        (["figure", "--list", "-o", "out"], "--list says which figures there are"),
        (["figure", "--list", "kit"], "--list says which figures there are"),
        (["moves", "--folder", "nope"], "there is no folder nope"),
        (["play", "stand", "--record", "a.html", "--loop"], "a player of its own"),
        (["play", "stand", "--fps", 24], "--fps is of a recording"),
        (["play", "stand", "--record", "a.html", "--speed", 2], "a player of its own"),
        (
            ["play", "stand", "--record", "a.html", "--port", 8000],
            "a player of its own",
        ),
        (["demo", "--contact-model", "foo"], "unknown contact_model in scenario 'foo'"),
    ],
)
def test_options_that_would_do_nothing_or_harm(
    refused, tmp_path, monkeypatch, command, sentence
):
    monkeypatch.setattr("backbeat.cli.author.build.build_behaviors", None)
    assert sentence in refused(*command)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["report", "export", "replay", "explain"])
def test_a_behavior_file_in_place_of_a_run(refused, built, library_folder, command):
    built("stand")
    at = ["--at", 1] if command == "explain" else []
    sentence = refused(command, library_folder / "atlas" / "stand.parquet", *at)
    assert "is the file of a behavior, not of a run; name the behavior" in sentence


def test_a_figure_of_costs_of_another_format(refused, tmp_path):
    sentence = refused("explain", "a.run.parquet", "--at", 1, "--costs", "costs.txt")
    assert "costs.txt: a figure is called NAME.svg, NAME.png, NAME.pdf" in sentence


def test_a_table_in_place_of_a_run(refused, tmp_path):
    path = tmp_path / "table.parquet"
    pd.DataFrame({"t": [0.0]}).to_parquet(path)
    assert "is a table, but not of a run" in refused("export", path)


def test_a_file_name_with_a_line_break(backbeat, tmp_path):
    path = write(tmp_path / "my\nsong.yaml", POSTURE.replace("hold", "hodl"))
    code, out, _ = backbeat("check", path)
    assert code == 2
    assert len(out.splitlines()) == 2
    assert out.startswith(f"{tmp_path}/my song.yaml:")
    code, out, errors = backbeat("build", path, "--library", tmp_path / "library")
    assert (code, out) == (2, "")
    assert "my song.yaml 'hodl'" in errors.splitlines()[-1]


def test_a_run_file_that_cannot_be_written(refused, built, library_folder, tmp_path):
    built("stand")
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "run.parquet"
    options = ["--library", library_folder, "--duration", 0.1, "-o", target]
    assert "cannot write" in refused("track", "stand", *options)


def test_a_run_file_with_the_name_of_a_table(refused, built, library_folder, tmp_path):
    built("stand")
    options = ["--library", library_folder, "-o", tmp_path / "take.csv"]
    sentence = refused("track", "stand", *options)
    assert "name it take.run.parquet, not take.csv" in sentence


def interrupt(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("backbeat.cli.main.start_drake_ahead", ""),
        (
            "backbeat.mpc.simulation.simulate.run_scenario",
            "backbeat: interrupted; run.parquet was not written.\n",
        ),
    ],
)
def test_a_track_that_is_interrupted(
    monkeypatch, capsys, built, library_folder, tmp_path, where, said
):
    built("stand")
    monkeypatch.chdir(tmp_path)
    words = ["track", "stand", "--library", str(library_folder), "-o", "run.parquet"]
    monkeypatch.setattr("sys.argv", ["backbeat", *words])
    monkeypatch.setattr(where, interrupt)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err.endswith(said)
    assert list(tmp_path.iterdir()) == []
