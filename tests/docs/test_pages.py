"""Pages on files that people write: examples are read and do what the page says."""

import dataclasses
import re
import runpy
import shlex
from pathlib import Path

import numpy as np
import pytest
import yaml

from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.dance.vocabulary.move_file import parse_move
from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.music.files.score_reader import load_score
from backbeat.behaviors.music.notation.percussion import PIECES, ROWS
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.posture.words import DIRECTIONS, FARTHEST, SUPPORTS, TURNS
from backbeat.behaviors.retargeting.skeleton_map import load_map
from backbeat.behaviors.setlist.specification import SetlistEntry
from backbeat.behaviors.specification.checking import (
    autofixed,
    check_file,
    check_setlist,
    check_specification,
)
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.cli.main import load_subcommand
from backbeat.models.kit.description import kit_text
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.robot.model import RobotModel
from backbeat.models.urdf.checks.support_table import Support
from backbeat.models.urdf.overlay.model_report import model_report
from backbeat.models.urdf.overlay.overlaying import apply_overlay
from backbeat.models.urdf.reading.parsing import read_description
from backbeat.mpc.disturbances.kinds.push import PolarPush
from backbeat.mpc.disturbances.kinds.setting_event import MOST_OFFSET, RANGES, SETTINGS
from backbeat.mpc.disturbances.task_changes import OF_TASK_SPACE
from backbeat.mpc.scenario.specification import load_scenario
from backbeat.mpc.sweep.cells import SweepSettings
from backbeat.mpc.sweep.margin import MarginSearch
from backbeat.mpc.sweep.specification import parse_sweep, shipped_sweeps
from backbeat.mpc.sweep.success_rate import SequentialTest
from backbeat.mpc.sweep.table import COLUMNS
from tests.behaviors.midi_files import hit, midi_bytes
from tests.behaviors.recordings import careless_sway, write
from tests.behaviors.test_backing import write_wav
from tests.docs.pages import DOCS, blocks, named, page

CHECKOUT = DOCS.parent


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder that code runs in, with the recording that pages speak of."""
    write(careless_sway(make_robot("atlas", (), Mount())), tmp_path / "take.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- all pages ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "place", "file", "check"),
    [
        ("dances", 0, "first-dance.yaml", check_specification),
        ("dances", 1, "salute.yaml", lambda text, path: not parse_move(text, "page")),
        ("keys", 0, "two-steps.yaml", lambda text, path: check_file(path)),
        ("setlists", 0, "evening.yaml", check_setlist),
    ],
)
def test_an_example_has_no_finding(folder, name, place, file, check):
    text = blocks(name, "yaml")[place]
    (folder / file).write_text(text)
    assert not check(text, folder / file)


@pytest.mark.parametrize(
    ("name", "said", "file", "check"),
    [
        ("dances", ["from-code: 24 beats"], "from-code.yaml", check_specification),
        ("postures", ["inside the feet"], None, None),
        (
            "setlists",
            ["evening: 3 behaviors at 104 BPM"],
            "evening.yaml",
            check_setlist,
        ),
    ],
)
def test_code_runs_and_prints(folder, capsys, name, said, file, check):
    (code,) = blocks(name, "python")
    exec(compile(code, f"{name}.md", "exec"), {})
    printed = capsys.readouterr().out
    assert [words for words in said if words not in printed] == []
    if file is not None:
        assert check((folder / file).read_text(), folder / file) == []


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("setlists", SetlistEntry.__dataclass_fields__),
        ("recordings", RecordingDescription.__dataclass_fields__),
    ],
)
def test_every_key_is_on_its_page(name, keys):
    assert set(keys) <= set(named(name))


@pytest.mark.parametrize("name", ["remote", "presets", "streams"])
def test_commands_have_the_options_that_they_are_called_with(name):
    (lines,) = blocks(name, "sh")
    for line in lines.splitlines():
        _, verb, *words = shlex.split(line)
        known = {o for p in load_subcommand(verb).params for o in p.opts}
        assert {w for w in words if w.startswith("--")} <= known


# --- dances and recordings ------------------------------------------------------------


def test_the_moves_dance_beside_a_dance(tmp_path):
    dance, salute, turn = blocks("dances", "yaml")
    (tmp_path / "moves").mkdir()
    for text, name in ((salute, "salute"), (turn, "small-turn")):
        assert parse_move(text, "page").name == name
        (tmp_path / "moves" / f"{name}.yaml").write_text(text)
    text = dance.replace("move: raise", "move: salute").replace(
        "{move: side-step, at: 12,", "{move: small-turn, at: 12,"
    )
    assert check_specification(text, tmp_path / "first-dance.yaml") == []
    plan = parse_specification(text, "page").plan(tmp_path)
    assert {"salute", "small-turn"} <= {e.what for e in plan.events}


@pytest.mark.parametrize("line", blocks("dances", "text")[0].splitlines())
def test_the_listed_failures_are_said_so(tmp_path, line):
    text = "kind: dance\nname: my-dance\nbeats: 20\ntracks:\n"
    text += {
        "8": "  #\n  legs:\n    #\n    - {move: bonce, at: 2}\n",
        "13": "\n" * 7 + "  body:\n    - {move: twist, at: 8, values: {angle: 0.9}}\n",
    }[line.split(":")[1]]
    path = tmp_path / "my-dance.yaml"
    (found,) = check_specification(text, path)
    assert found.sentence(Path("my-dance.yaml")) == line
    is_fixed = check_specification(autofixed(text, path)[0], path) == []
    assert is_fixed == ("--fix" in line)


def test_a_dance_of_a_recording_has_no_failure_and_is_what_the_code_makes(
    folder, capsys
):
    _, dance = blocks("recordings", "yaml")
    found = check_specification(dance, folder / "mine.yaml")
    assert found
    assert not [f for f in found if f.finding.fails]
    exec(blocks("recordings", "python")[1], {})
    made = parse_specification(capsys.readouterr().out, "mine.yaml")
    assert made.recordings == parse_specification(dance, "mine.yaml").recordings


def test_the_map_of_a_skeleton_is_whole(tmp_path):
    (tmp_path / "studio.yaml").write_text(blocks("recordings", "yaml")[0])
    parts = load_map(tmp_path / "studio.yaml").parts()
    assert parts["trunk"] == "Chest4"
    assert parts["right wrist"] == "RightWrist"


# --- postures -------------------------------------------------------------------------


def test_the_tour_compiles():
    (tour,) = blocks("postures", "yaml")
    plan = parse_specification(tour, "salute.yaml").plan(Path())
    assert plan.problem.num_knots > 100
    assert plan.compliance.keys() >= {"l_arm_elx"}
    assert any("gets" in remark for remark in plan.remarks)


def test_every_word_of_a_posture_is_on_the_page():
    robot, text = RobotModel("atlas"), page("postures")
    words = [*DIRECTIONS, *SUPPORTS, *robot.parts, *robot.places, FARTHEST]
    words += [w for turn in TURNS for w in turn.split()]
    assert [w for w in words if w not in text] == []


# --- keys, scenarios and sweeps -------------------------------------------------------


def test_every_key_is_there_and_explained():
    """`make tables` writes the tables again."""
    tables = runpy.run_path(str(DOCS / "key_tables.py"))
    assert tables["with_tables"](page("keys")) == page("keys")
    assert not re.findall(r"^\| `\w+` \|.*\|  \|$", page("keys"), re.MULTILINE)


def test_scenarios_are_what_the_pages_say(tmp_path):
    path = tmp_path / "scenario.yaml"
    path.write_text(blocks("keys", "yaml")[1])
    scenario = load_scenario(path)
    assert scenario.disturbances.pushes[0].impulse == [0, 60, 0]
    assert scenario.world.mismatch.mass_spread == 0.1
    path.write_text(blocks("live_events", "yaml")[0])
    events = load_scenario(path).disturbances.events
    assert len(events) == len(yaml.safe_load(path.read_text())["events"]) == 5
    assert events[2].values() == {"tempo": 0.8}


def test_the_table_has_every_setting_and_its_range():
    rows = [line for line in page("live_events").splitlines() if line[:3] == "| `"]
    told = re.findall(r"`(\w+)`", " ".join(row.split("|")[1] for row in rows))
    assert sorted(told) == sorted(SETTINGS)
    for name, (least, most) in RANGES.items():
        if name in OF_TASK_SPACE:
            continue  # Their ranges are in the page on keys.
        row = next(r for r in rows if f"`{name}`" in r.split("|")[1])
        assert f"{least:g} to {most:g}" in row
    assert f"up to {MOST_OFFSET:g} m" in rows[-1]


def test_sweeps_are_what_the_page_says():
    text, of_engines = blocks("sweeps", "yaml")
    sweep = parse_sweep(text, "page")
    assert len(sweep.cells) == 16
    assert sweep.settings.search is not None
    assert sweep.settings.search.levels()[-1] == 160
    cells = parse_sweep(of_engines, "page").cells
    assert [c.engine_name for c in cells] == 2 * ["drake", "mujoco"]


SCHEMAS = (SweepSettings, PolarPush, MarginSearch, SequentialTest)
SETTINGS_OF_RUNS = {"base", "per_behavior", "cases", "variations"}


@pytest.mark.parametrize("place", range(len(SCHEMAS)))
def test_every_key_of_a_sweep_is_there_with_its_default(place):
    schema, row = SCHEMAS[place], r"^\| `(\w+)` \| (?:`(.*?)`)? ?\|"
    tables = re.findall(r"(?:^\|.*\n)+", page("sweeps"), re.MULTILINE)
    rows = dict(re.findall(row, tables[place], re.MULTILINE))
    known = {f.name: f for f in dataclasses.fields(schema)}
    others = SETTINGS_OF_RUNS if schema is SweepSettings else set()
    assert set(rows) == set(known) | others
    for name, field in known.items():
        value = field.default
        if value is dataclasses.MISSING:
            value = field.default_factory()
        assert yaml.safe_load(rows[name] or "null") == value, name


@pytest.mark.parametrize(
    ("table", "names"), [(4, list(COLUMNS)), (5, shipped_sweeps())]
)
def test_every_column_and_every_sweep_is_there(table, names):
    tables = re.findall(r"(?:^\|.*\n)+", page("sweeps"), re.MULTILINE)
    cells = re.findall(r"^\| (`.*?) \|", tables[table], re.MULTILINE)
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(cells))) == sorted(names)


# --- kits and scores ------------------------------------------------------------------


def test_kits_are_what_the_page_says(tmp_path):
    first, second = blocks("kits", "yaml")[:2]
    (tmp_path / "my-kit.yaml").write_text(first)
    kit, usual = DrumKit(text=kit_text("my-kit.yaml", tmp_path)), DrumKit()
    assert "mid_tom" not in kit.members
    assert kit.member("crash").tilt_deg == 20
    assert kit.member("crash").radius == usual.member("crash").radius
    assert kit.member("floor_tom").radius == 0.22
    assert kit.member("cowbell").number == 5
    assert kit.member("cowbell").notes == [56]
    (tmp_path / "kick.yaml").write_text(second)
    kit = DrumKit(text=kit_text("kick.yaml", tmp_path))
    full = DrumKit(text=kit_text("full-kit", tmp_path))
    (pedal,) = kit.pedals()
    assert (pedal.member, pedal.foot) == ("kick", "right")
    assert kit.member("kick").pedal == full.member("kick").pedal
    lever = 0.26  # of Atlas's sole
    for pedal in full.pedals():
        travel = lever * (np.sin(pedal.rest) - np.sin(pedal.hit))
        assert travel == pytest.approx(0.06, abs=0.005)


def test_scores_do_what_the_page_says(tmp_path):
    notes = [(480 * k, hit(n)) for k, n in enumerate([36, 38, 56, 42])]
    (tmp_path / "my-song.mid").write_bytes(midi_bytes([notes]))
    write_wav(tmp_path / "my-song.wav")
    kit, scores = DrumKit(), []
    player = HandModel({m: kit.strike_pose(m).translation() for m in kit.members})
    for language, text in re.findall(
        r"```(yaml|text)\n(.*?)```", page("scores"), re.DOTALL
    ):
        path = tmp_path / {"yaml": "example.yaml", "text": "example.tab"}[language]
        path.write_text(text)
        scores.append(load_score(path, kit_members(kit), player))
    for score in scores:
        assert score.hits
        assert set(score.holds[0].rest) == {"left", "right"}
        assert score.holds[-1].beat + score.holds[-1].beats == score.beats
    parts, sent, time, tab, notes = scores
    names = ["ready", "verse", "chorus", "ending", "rest"]
    assert [s.name for s in parts.sections] == names
    assert {h.velocity for h in parts.hits} == {50, 90, 110, 115}
    assert sent.section("away").beats == 2
    assert [h.velocity for h in sent.hits][-1] == 100
    assert "place 0.350, 0.250, 1.000" in [t.name for t in sent.targets]
    swings = time.section("swings").beat
    assert [h.beat - swings for h in time.hits[:2]] == pytest.approx([0, 0.62])
    faster = time.section("faster")
    assert time.tempo.bpm_at(faster.beat) == 110
    assert time.tempo.bpm_at(faster.beat + faster.beats) == 130
    fill = tab.section("fill")
    assert fill.beats == 8
    assert sum(h.beat >= fill.beat for h in tab.hits) == 24
    assert notes.backing == "my-song.wav"
    assert notes.remarks == (
        "MIDI notes: 38 to snare (1 hit), 42 to hi_hat (1 hit)",
        "MIDI note 36, 1 hit: kick, dropped",
        "MIDI note 56, 1 hit: cowbell, given to ride",
    )


def test_the_page_names_rows_and_pieces_that_exist():
    rows = page("scores").split("Rows are ")[1].split("A rest")[0]
    told = set(re.findall(r"`([A-Z0-9]+)`", rows))
    assert told <= set(ROWS)
    assert {ROWS[row] for row in told} == set(ROWS.values())
    assert set(ROWS.values()) <= set(PIECES)


# --- descriptions ---------------------------------------------------------------------

# How the source names a rule: as the first word of a finding, or in a variable.
CALLS = r"(?:Finding|_found|_finding|_error|\.error|\.found|MeshFile)"
CALLS += r"\((?:None, |made, )?\s*\"([a-z-]+)\""
NAMES = r"\brule(?:, \w+)? = \"([a-z-]+)\""


def test_the_page_has_every_rule_and_no_other():
    """Those in the source, and those that are made of a support or an outcome."""
    files = (CHECKOUT / "models" / "urdf").rglob("*.py")
    text = "\n".join(p.read_text() for p in files)
    found = {*re.findall(CALLS, text), *re.findall(NAMES, text)}
    found |= {support.value.lower().replace(" ", "-") for support in Support}
    found |= {f"drake-{end}" for end in ("refused", "exits", "aborts", "hangs")}
    found |= {"unknown-attribute", "unknown-element"}
    assert len(found) > 60
    table = page("descriptions").split("## Rules")[1].split("## What")[0]
    cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert set(re.findall(r"`([a-z-]+)`", " ".join(cells))) == found
    told = [f"| {f.value} |" for f in Support]
    assert [row for row in told if row not in page("descriptions")] == []


def test_the_overlay_makes_what_the_page_says(tmp_path):
    urdf = CHECKOUT / "models" / "robots" / "atlas" / "atlas_v5.urdf"
    overlay, path = tmp_path / "heavy.yaml", tmp_path / "heavy.urdf"
    (text,) = blocks("descriptions", "yaml")
    overlay.write_text(text.replace("atlas_v5.urdf", str(urdf)))
    path.write_bytes(apply_overlay(overlay, path))
    report = model_report(read_description(path))
    mass = (175.117964 - 84.409 + 90.0) * 1.02 + 12.0
    assert abs(report.mass_kg - mass) < 1e-9
    assert report.name == "atlas_with_battery"


def test_the_code_prints_the_shoulder_and_a_finding(capsys, monkeypatch):
    monkeypatch.chdir(CHECKOUT)
    exec(*blocks("descriptions", "python"), {})
    said = capsys.readouterr().out
    assert "(0.0, 0.5, 0.866025) 212.0 -11.5708" in said
    assert "atlas_v3.urdf:" in said
    assert "soft" in said
