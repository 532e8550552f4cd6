"""The page and the table of a danced run."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from backbeat.behaviors.library.behavior import Event
from backbeat.cli.common.results import results_table
from backbeat.cli.main import main
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.runs.file import save_run
from tests.backbeat.performances import run_of, swaying


@pytest.fixture(scope="module")
def run():
    """Arms that swing a tenth of a second late; of a leg nothing is to be seen."""
    marked = [
        Event(t, "marker", f"{m}: far", "arms", 0, 0.4, (0, 0), c, "most")
        for m, c in (("swing", "l_arm_elx"), ("kick", "l_leg_kny"))
        for t in (1.25, 2.25)
    ]
    return run_of(replace(swaying(3.0), events=tuple(marked)))


def test_the_table_of_a_run_tells_its_markers(run):
    console = Console(width=100, file=io.StringIO())
    console.print(results_table([run_metrics(run)]))
    text = console.file.getvalue()
    (swing,) = (line for line in text.splitlines() if " swing " in line)
    assert swing.split()[:3] == ["arms", "swing", "2"]
    # Samples are a hundredth of a second apart.
    assert float(swing.split()[3]) == pytest.approx(100.0, abs=11.0)
    (kick,) = (line for line in text.splitlines() if " kick " in line)
    assert kick.split() == ["arms", "kick", "2", "2"]


def test_the_page_of_a_run_file(run, tmp_path, monkeypatch, capsys):
    """Its words; what is drawn is tested on a page of its own."""
    monkeypatch.setattr("backbeat.report.pages.run.svg", lambda *_: "")
    path = save_run(run, tmp_path / "s.run.parquet", run_metrics(run))
    options = ["--recording", "none"]
    monkeypatch.setattr("sys.argv", ["backbeat", "report", str(path), *options])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    page = path.with_suffix(".html").read_text()
    for words in ("sway, a run", "<td>swing</td>", "kick", "Every marker"):
        assert words in page
