"""Old names of keys are read for one more version, and said."""

import logging

import pytest

from backbeat.behaviors.specification.checking import check_file
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.models.common.errors import BackbeatError

OLD = "kind: drumming\nname: mine\nscore: groove\nhaste: 1.25  # faster\n"


def test_haste_is_read_as_tempo_scale_and_said_once(caplog):
    new = parse_specification(OLD.replace("haste", "tempo_scale"), "new.yaml")
    with caplog.at_level(logging.WARNING):
        assert parse_specification(OLD, "old.yaml") == new
        parse_specification(OLD, "old.yaml")
    assert new.tempo_scale == 1.25
    assert [r.getMessage() for r in caplog.records] == [
        "old.yaml: haste is called tempo_scale now; the old name is read for one more "
        "version"
    ]


def test_both_names_of_a_key_are_refused():
    with pytest.raises(BackbeatError, match="haste is the old name of tempo_scale"):
        parse_specification(OLD + "tempo_scale: 1.1\n", "both.yaml")


def test_the_old_name_is_that_of_one_kind_of_file():
    dance = "kind: dance\nname: mine\nhaste: 1.1\n"
    with pytest.raises(BackbeatError, match="unknown key"):
        parse_specification(dance, "dance.yaml")


def test_a_fault_of_an_old_key_has_its_line(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(OLD.replace("1.25", "-1.0"))
    (tmp_path / "scores").mkdir()
    score = "bpm: 60\nparts: [{name: play, left: '3 3 3 3'}]\n"
    (tmp_path / "scores" / "groove.yaml").write_text(score)
    (found,) = check_file(path)
    assert found.line == 4
