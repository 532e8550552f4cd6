import pytest

from backbeat.cli.main import main
from backbeat.report.drumming_figures import plot_cures, plot_joints
from backbeat.report.drumming_report import drumming_page
from behaviors.singular_values import CASES
from models.errors import BackbeatError
from mpc.simulation.run_file import run_frame, run_story, save_run
from tests.backbeat.performances import drumming, run_of, swaying


@pytest.fixture(scope="module")
def run():
    return run_of(drumming(False, 4.0))


def made_up_story(run):
    """A story in which every stroke was made, half a millisecond late."""
    story = run_story(run, {"rests": None})
    hits = [
        {**hit, "made": True, "error": 5e-4, "speed": 1.5, "offset": 0.0}
        for hit in story["hits"]
    ]
    return {**story, "hits": hits}


def test_the_page_tells_what_was_drummed(run):
    page = drumming_page(run_frame(run), made_up_story(run))
    assert page.count("<svg") == 3
    for words in ("60 n / Δt", "Singular values", "stroke height", "Fujii", "0.50"):
        assert words in page


def test_who_does_not_drum_has_no_such_page(tmp_path, monkeypatch, capsys):
    path = save_run(run_of(swaying(1.0)), tmp_path / "s.run.parquet", {"rests": None})
    with pytest.raises(BackbeatError, match="nobody drums"):
        drumming_page(run_frame(run_of(swaying(1.0))), {"hits": [], "behavior": "s"})
    monkeypatch.setattr("sys.argv", ["backbeat", "report", str(path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "nobody drums" in capsys.readouterr().err
    assert len(list(tmp_path.iterdir())) == 1


def test_figures_have_a_line_for_every_joint_and_case(run):
    above, below = plot_joints(run_frame(run)).axes
    assert len(above.lines) == len(below.lines) == 17
    assert above.lines[0].get_xdata().min() >= 0.0
    import pandas as pd

    rows = [
        {"case": case, "t": t, "smallest": 0.2, "fastest": 3.0}
        for case in CASES
        for t in (0.0, 1.0)
    ]
    above, below = plot_cures(pd.DataFrame(rows)).axes
    assert len(above.lines) == len(below.lines) == len(CASES)
