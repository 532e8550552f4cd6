"""`backbeat build NAME --max-tempo`: how fast a pattern can be drummed."""

import json

import pytest
from typer.testing import CliRunner

from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.drumming.tempo.highest import find_highest_tempo
from backbeat.cli.main import app

PATTERN = """\
bpm: 100
steps_per_beat: 4
parts:
  - {name: ready, hold: 4, sway: 0, rest: {left: snare, right: floor_tom}}
  - {name: eight, left: "3 - 3 - 3 - 3 -", right: "- 6 - 6 - 6 - 6"}
  - {name: silence, bars: 1}
  - {name: rest, hold: 4, sway: 0, rest: {left: snare, right: floor_tom}}
"""


def run(*arguments):
    return CliRunner().invoke(app, ["build", *map(str, arguments), "--max-tempo"])


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ((), "takes one drumming pattern, not 0"),
        (("outstanding", "groove"), "takes one drumming pattern, not 2"),
        (("stand",), "stand is posture; --max-tempo is for drumming"),
    ],
)
def test_what_is_no_pattern_is_refused(names, sentence):
    found = run(*names)
    assert found.exit_code != 0
    assert sentence in str(found.exception)


@pytest.mark.slow
def test_a_pattern_has_a_highest_tempo_and_a_limit(tmp_path):
    (tmp_path / "scores").mkdir()
    (tmp_path / "scores" / "eight.yaml").write_text(PATTERN)
    path = tmp_path / "eight.yaml"
    path.write_text("kind: drumming\nname: eight\nscore: eight\n")
    found = run(path, "--json")
    assert found.exit_code == 0, found.output
    numbers = json.loads(found.stdout)
    passed = [t["bpm"] for t in numbers["tries"] if t["passed"]]
    failed = [t["bpm"] for t in numbers["tries"] if not t["passed"]]
    assert numbers["highest_bpm"] == max(passed) > 150
    assert numbers["tempo_scale"] == pytest.approx(max(passed) / 100)
    assert numbers["binding"]
    if failed:
        assert max(passed) < min(failed) <= 1.03 * max(passed)
    else:
        assert max(passed) == pytest.approx(400)
    assert list(tmp_path.rglob("*.parquet")) == []


SNARE_AND_CRASH = """\
bpm: 110
steps_per_beat: 8
parts:
  - {name: ready, hold: 4, sway: 0, rest: {left: snare, right: floor_tom}}
  - {name: cross, left: "3 - - - 2 - - - 3 - - - 2 - - -"}
  - {name: silence, bars: 1}
  - {name: rest, hold: 4, sway: 0, rest: {left: snare, right: floor_tom}}
"""


@pytest.mark.slow
def test_strokes_let_go_of_their_shape_where_they_are_too_slow(tmp_path):
    """From snare to crash and back in a quarter of a second leaves no time for it."""
    (tmp_path / "scores").mkdir()
    (tmp_path / "scores" / "cross.yaml").write_text(SNARE_AND_CRASH)
    specification = DrummingSpecification(name="cross", score="cross")
    found = find_highest_tempo(specification, tmp_path)
    assert found.best.passed
    assert not found.best.shaped
    # The least time of these strokes, whatever they run into, is 175 BPM.
    assert found.bpm > 0.9 * 175
