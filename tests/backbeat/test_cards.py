"""Cards as a user makes and meets them; runs are made up, the rest is real."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.library.store import Library
from backbeat.cli.common.card_words import card_words, predicted
from backbeat.cli.main import main
from backbeat.jobs import sweeping
from backbeat.jobs.cards import build_card
from backbeat.mpc.sweep.card.robustness import card_path, read_card
from backbeat.mpc.sweep.table import SweepTable, result_row
from backbeat.report.pages.card import margin_figure
from tests.backbeat.performances import swaying
from tests.backbeat.test_sweeping import METRICS


def made_up(report, library, scenario, key):
    """Bears pushes up to 100 N s, and floors that are not slippery."""
    push = sum(float(np.linalg.norm(p.impulse)) for p in scenario.disturbances.pushes)
    fell = push > 100.5 or scenario.world.friction < 0.6
    found = {"survived": not fell, "fell": fell, "fell_at_s": 0.4 if fell else None}
    return result_row(METRICS | found)


@pytest.fixture
def library(tmp_path, monkeypatch):
    monkeypatch.setattr(sweeping, "simulate", made_up)
    store = Library(tmp_path / "library")
    sway = swaying(1.0)
    store.save(replace(sway, provenance={**sway.provenance, "key": "built"}))
    return store


def say(monkeypatch, capsys, *words):
    monkeypatch.setattr("sys.argv", ["backbeat", *map(str, words)])
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    return capsys.readouterr()


def test_a_card_is_what_its_runs_were(library):
    card, failures = build_card("sway", library.folder, processes=1)
    assert not failures
    assert card.is_complete
    found = {s.what: (s.survived, s.runs) for s in card.disturbances}
    assert found.pop("friction 0.5")[0] == 0
    assert all(survived == runs == 16 for survived, runs in found.values())
    (slip,) = (s for s in card.disturbances if s.what == "friction 0.5")
    assert slip.first_fall_s == 0.4
    assert (card.push_margin, card.push_margin_is_bound) == (100.0, False)
    assert read_card(card_path(library.path("sway"))) == card


def test_a_card_again_makes_no_run_again(library, monkeypatch):
    first, _ = build_card("sway", library.folder, processes=1)

    def refuse(*arguments):
        raise AssertionError("it was known")

    monkeypatch.setattr(sweeping, "simulate", refuse)
    assert build_card("sway", library.folder, processes=1) == (first, [])


def test_list_and_track_quote_a_card_of_this_build_and_source(library, monkeypatch):
    behavior = library.load("sway")
    assert predicted(library.folder, behavior) == ""
    card, _ = build_card("sway", library.folder, 3, processes=1)
    assert card_words(library, "sway") == card.headline
    assert card.headline in predicted(library.folder, behavior)
    monkeypatch.setattr("backbeat.cli.common.card_words.sources", lambda: "newer")
    assert card_words(library, "sway").endswith("of an earlier version")
    monkeypatch.setattr(Library, "key", lambda self, name, robot="": "another")
    assert card_words(library, "sway").endswith("of an earlier build")


def test_the_commands(library, monkeypatch, capsys):
    folder = ("--library", library.folder)
    said = say(monkeypatch, capsys, "card", *folder, "--seeds", 3, "--jobs", 1)
    assert "push 100 N s" in said.out
    assert "sway.html" in said.out
    page = card_path(library.path("sway")).with_suffix(".html").read_text()
    for words in ("friction 0.5", "0 of 2", "0.4 s", "margin 100 N s", "Wilson"):
        assert words in page
    assert not re.search(r"(src|href)=.https?:", page)
    listed = say(monkeypatch, capsys, "list", *folder).out
    assert "push 100 N s" in listed
    table = json.loads(say(monkeypatch, capsys, "list", *folder, "--json").out)
    assert "push 100 N s" in table["built"][0]["card"]
    again = say(monkeypatch, capsys, "card", "sway", *folder, "--seeds", 3, "--json")
    assert json.loads(again.out)[0]["push_margin"] == 100.0


def test_a_sample_fails_below_the_standard_and_its_runs_go_into_the_card(
    library, backbeat
):
    call = ("card", "sway", "--library", library.folder, "--jobs", 1)
    code, said, complaint = backbeat(*call, "--sample")
    # Of the slippery floor two runs suffice to see that it is not survived.
    assert code == 1
    assert "18 of 20 survive, 90% (" in said
    assert "friction 0.5: 0 of 2" in said
    assert "sway: fewer than 95% of the runs survived" in complaint
    assert not card_path(library.path("sway")).exists()
    table = card_path(library.path("sway")).with_name("sway-disturbances.parquet")
    rows = SweepTable(table).rows
    assert len(rows) == 20
    code, said, _ = backbeat(*call)
    assert code == 0
    again = SweepTable(table).rows
    assert list(again)[:20] == list(rows)


def test_a_sample_that_survives_is_no_failure(library, backbeat, monkeypatch):
    def unshaken(report, library, scenario, key):
        return result_row(METRICS | {"survived": True, "fell": False})

    monkeypatch.setattr(sweeping, "simulate", unshaken)
    call = ("card", "sway", "--library", library.folder, "--jobs", 1)
    code, said, _ = backbeat(*call, "--sample", "--seeds", 1, "--json")
    assert code == 0
    (found,) = json.loads(said)
    assert found["behavior"] == "sway"
    assert [(s["survived"], s["runs"]) for s in found["disturbances"]] == [(1, 1)] * 7


def test_the_margin_figure_has_a_point_for_every_size(library):
    card, _ = build_card("sway", library.folder, 3, processes=1)
    (axes,) = margin_figure(card).axes
    sizes, shares = axes.lines[0].get_data()
    assert list(sizes) == [s.what for s in card.pushes]
    assert list(shares) == [float(s.what <= 100.0) for s in card.pushes]
