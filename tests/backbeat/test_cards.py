"""Cards as a user makes and meets them; runs are made up, the rest is real."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.library.store import Library
from backbeat.cli.common.card_words import card_words, predicted
from backbeat.cli.main import main
from backbeat.jobs import cards, sweeping
from backbeat.jobs.cards import build_card
from backbeat.mpc.sweep.card.robustness import card_path, read_card
from backbeat.mpc.sweep.table import SweepTable, result_row
from backbeat.report.pages.card import margin_figure
from tests.backbeat.performances import swaying
from tests.backbeat.test_sweeping import METRICS


def made_up(report, library, scenario, key, *own):
    """Bears pushes up to 100 N s, in MuJoCo 140, and floors that are not slippery."""
    push = sum(float(np.linalg.norm(p.impulse)) for p in scenario.disturbances.pushes)
    bears = 100.5 if scenario.world.engine == "drake" else 140.5
    fell = push > bears or scenario.world.friction < 0.6
    found = {"survived": not fell, "fell": fell, "fell_at_s": 0.4 if fell else None}
    return result_row(METRICS | found)


@pytest.fixture
def library(tmp_path, monkeypatch):
    monkeypatch.setattr(sweeping, "simulate", made_up)
    monkeypatch.setattr(sweeping, "check_engine", lambda name: None)
    monkeypatch.setattr(cards, "why_not_mujoco", lambda behavior: "")
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


def test_a_card_of_other_weights_has_a_folder_of_its_own(
    library, tmp_path, monkeypatch, capsys
):
    """Its runs have them, and its headline names them."""
    seen, path = set(), tmp_path / "soft.yaml"
    path.write_text("predictive: {com: 40}\nrecovery: {watch: 0.05}\n")

    def noted(report, folder, scenario, key, *own):
        weights = scenario.control.on_weights(None)
        seen.add((weights.predictive.com, weights.recovery.watch))
        stood = {"survived": True, "fell": False, "fell_at_s": None}
        return result_row(METRICS | stood)

    monkeypatch.setattr(sweeping, "simulate", noted)
    words = ("card", "sway", "--library", library.folder, "--sample", "--jobs", "1")
    said = say(monkeypatch, capsys, *words, "--engine", "drake", "--weights", path)
    assert seen == {(40.0, 0.05)}
    assert "controlled by our controllers with weights soft" in said.out
    runs = cards.CardRuns(weights_name="soft")
    place = cards.stored_card("sway", library.folder, runs)
    usual = cards.stored_card("sway", library.folder, cards.CardRuns())
    assert place.parent == usual.parent / "weights-soft"
    assert list(place.parent.glob("*"))


TERM = """
from dataclasses import dataclass
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.optimization.terms.declared import Term, cost

@dataclass(frozen=True)
class Shift(PredictiveWeights):
    ahead: float = cost(2.0, Term("ahead", "dc_x", "m", lambda z: z.com[:1]))
"""


def test_a_card_with_terms_of_ones_own_has_a_folder_of_its_own(
    library, tmp_path, monkeypatch, capsys
):
    """Its runs are told of the file, and its headline names it."""
    seen, path = set(), tmp_path / "shift.py"
    path.write_text(TERM)

    def noted(report, folder, scenario, key, controller, terms):
        seen.add(terms)
        stood = {"survived": True, "fell": False, "fell_at_s": None}
        return result_row(METRICS | stood)

    monkeypatch.setattr(sweeping, "simulate", noted)
    words = ("card", "sway", "--library", library.folder, "--sample", "--jobs", "1")
    said = say(monkeypatch, capsys, *words, "--engine", "drake", "--with", path)
    ((file, sha256),) = seen
    assert (file, len(sha256)) == (str(path), 64)
    assert "controlled by our controllers with the terms of shift.py" in said.out
    usual = cards.stored_card("sway", library.folder, cards.CardRuns())
    assert list((usual.parent / "terms-shift").glob("*"))


def test_a_card_is_what_its_runs_were(library):
    card, failures = build_card("sway", library.folder, processes=1)
    assert not failures
    assert card.is_complete
    for engine in card.engines:
        found = {s.what: (s.survived, s.runs) for s in engine.disturbances}
        assert found.pop("friction 0.5")[0] == 0
        assert all(survived == runs == 16 for survived, runs in found.values())
        (slip,) = (s for s in engine.disturbances if s.what == "friction 0.5")
        assert slip.first_fall_s == 0.4
        assert not engine.push_margin_is_bound
    found = {e.engine: e.push_margin for e in card.engines}
    assert found == {"drake": 100.0, "mujoco": 140.0}
    assert card.headline.endswith("push 100 N s, lower of Drake and MuJoCo")
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
    assert "100 N s in Drake, 140 N s in MuJoCo" in page
    assert not re.search(r"(src|href)=.https?:", page)
    listed = say(monkeypatch, capsys, "list", *folder).out
    assert "push 100 N s" in listed
    table = json.loads(say(monkeypatch, capsys, "list", *folder, "--json").out)
    assert "push 100 N s" in table["built"][0]["card"]
    again = say(monkeypatch, capsys, "card", "sway", *folder, "--seeds", 3, "--json")
    (made,) = json.loads(again.out)
    assert [e["push_margin"] for e in made["engines"]] == [100.0, 140.0]


def test_a_card_of_one_engine_is_made_where_it_is_asked_for(library, backbeat):
    call = ("card", "sway", "--library", library.folder, "--jobs", 1, "--seeds", 3)
    code, said, remark = backbeat(*call, "--engine", "mujoco")
    assert code == 0
    assert "push 140 N s, in MuJoCo alone" in said
    assert "no other was asked for" in remark
    page = card_path(library.path("sway")).with_suffix(".html").read_text()
    assert "Figures are of MuJoCo alone" in page
    code, _, complaint = backbeat(*call, "--engine", "bullet")
    assert code == 2
    assert "bullet" in complaint


def test_without_mujoco_a_card_says_so_and_is_of_drake_alone(
    library, backbeat, monkeypatch
):
    why = "the engine mujoco needs MuJoCo, which is not installed"
    monkeypatch.setattr(cards, "why_not_mujoco", lambda behavior: why)
    call = ("card", "sway", "--library", library.folder, "--jobs", 1, "--seeds", 3)
    code, said, remark = backbeat(*call)
    assert code == 0
    assert "push 100 N s, in Drake alone" in said
    assert f"sway, Drake alone: {why}" in " ".join(remark.split())
    path = card_path(library.path("sway"))
    assert why in path.with_suffix(".html").read_text()
    # What Drake has is kept when the other engine comes.
    rows = SweepTable(path.with_name("sway-pushes.parquet")).rows
    monkeypatch.setattr(cards, "why_not_mujoco", lambda behavior: "")
    code, said, _ = backbeat(*call)
    assert "lower of Drake and MuJoCo" in said
    more = SweepTable(path.with_name("sway-pushes.parquet")).rows
    assert list(more)[: len(rows)] == list(rows)
    assert {r["engine"] for r in list(more.values())[len(rows) :]} == {"mujoco"}


def test_a_sample_fails_below_the_standard_and_its_runs_go_into_the_card(
    library, backbeat
):
    call = ("card", "sway", "--library", library.folder, "--jobs", 1)
    code, said, complaint = backbeat(*call, "--sample")
    # Of the slippery floor two runs suffice to see that it is not survived.
    assert code == 1
    assert "18 of 20 survive in Drake, 90% (" in said
    assert "18 of 20 survive in MuJoCo, 90% (" in said
    assert "friction 0.5: 0 of 2" in said
    assert "sway: fewer than 95% of the runs survived" in complaint
    assert not card_path(library.path("sway")).exists()
    table = card_path(library.path("sway")).with_name("sway-disturbances.parquet")
    rows = SweepTable(table).rows
    assert len(rows) == 40
    code, said, _ = backbeat(*call)
    assert code == 0
    again = SweepTable(table).rows
    assert list(again)[:40] == list(rows)


def test_a_sample_that_survives_is_no_failure(library, backbeat, monkeypatch):
    def unshaken(report, library, scenario, key, *own):
        return result_row(METRICS | {"survived": True, "fell": False})

    monkeypatch.setattr(sweeping, "simulate", unshaken)
    call = ("card", "sway", "--library", library.folder, "--jobs", 1)
    code, said, _ = backbeat(*call, "--sample", "--seeds", 1, "--json")
    assert code == 0
    (found,) = json.loads(said)
    assert found["behavior"] == "sway"
    for engine in found["engines"]:
        taken = [(s["survived"], s["runs"]) for s in engine["disturbances"]]
        assert taken == [(1, 1)] * 7


def test_the_margin_figure_has_a_point_for_every_size(library):
    card, _ = build_card("sway", library.folder, 3, processes=1)
    (axes,) = margin_figure(card).axes
    curves = [line for line in axes.lines if "Wilson" in line.get_label()]
    for engine, line in zip(card.engines, curves, strict=True):
        sizes, shares = line.get_data()
        bears = 100.0 if engine.engine == "drake" else 140.0
        assert list(sizes) == [s.what for s in engine.pushes]
        assert list(shares) == [float(s.what <= bears) for s in engine.pushes]
