"""A folder of takes becomes a library: killed, resumed, browsed, handed on."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.recording.feasibility import examine
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.takes.writers.formats import WRITTEN
from backbeat.cli.takes.one_take import left_out
from backbeat.jobs import importing
from backbeat.jobs.import_settings import ImportSettings
from backbeat.jobs.importing import import_takes
from backbeat.jobs.take_files import find_takes
from backbeat.jobs.take_table import COLUMNS, TakeTable, table_path
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError
from tests.backbeat.test_import import write_take
from tests.behaviors.takes.conftest import robot_named, states_of
from tests.behaviors.takes.floor_takes import KNEELS, STANDS, floor_take

# Time for something to happen, on a machine that has other work too [s].
PATIENCE = 60.0


def made_up(report, work):
    """Stands in for the job of a take: leaves a trace and a file of the library."""
    trace = os.environ.get("IMPORT_TRACE")
    if trace:
        Path(trace, f"{work.file.name}-{time.time_ns()}").touch()
        time.sleep(float(os.environ["IMPORT_PAUSE"]))
    content = work.file.path.read_text()
    if "broken" in content:
        raise BackbeatError("no room on the disk")
    if "refused" in content:
        return {"status": "refused", "reason": "No.", "robot": "g1"}
    with replacing(work.settings.library / "g1" / f"{work.file.name}.parquet") as file:
        file.write(content.encode())
    return {"status": "certified", "robot": "g1", "seconds": 1.0}


@pytest.fixture
def folder(tmp_path):
    takes = tmp_path / "takes"
    takes.mkdir()
    for k in range(8):
        (takes / f"{k}.csv").write_text(f"take {k}")
    return takes


def call(folder, job=made_up, progress=None, force=False, **described):
    library = folder.parent / "library"
    settings = ImportSettings(
        folder.name, library, "g1", RecordingDescription(**described)
    )
    found = find_takes(folder, library)
    return import_takes(found, settings, job, progress, 1, force=force, apart=False)


def test_only_what_is_new_or_has_changed_is_made_again(folder, monkeypatch):
    heard = []
    assert call(folder, progress=lambda *news: heard.append(news)).made == 8
    assert [known for known, _, _ in heard] == list(range(1, 9))
    assert heard[-1][1:] == (0, "7.csv: certified")
    again = call(folder, progress=lambda *news: heard.append(news))
    assert (again.made, again.taken) == (0, 8)
    assert heard[-1] == (8, 0, "8 taken from the table")
    (folder / "3.csv").write_text("another motion")
    (folder / "new.csv").write_text("a new one")
    assert call(folder).made == 2
    # A time alone is no change.
    os.utime(folder / "3.csv")
    assert call(folder).made == 0
    (folder.parent / "library" / "g1" / "5.parquet").unlink()
    assert call(folder).made == 1
    assert call(folder, unit="degrees").made == 9
    assert call(folder, unit="degrees", force=True).made == 9
    monkeypatch.setattr(importing, "robot_and_sources", lambda robot: "newer")
    assert call(folder, unit="degrees").made == 9
    assert len(TakeTable(folder.parent / "library").rows) == 9


def test_what_is_refused_by_now_is_not_in_the_library_any_more(folder):
    call(folder)
    made = folder.parent / "library" / "g1"
    assert len(list(made.iterdir())) == 8
    (folder / "3.csv").write_text("refused now")
    result = call(folder)
    assert result.rows["3.csv"]["status"] == "refused"
    assert not (made / "3.parquet").exists()
    (folder / "3.csv").write_text("good again")
    call(folder)
    assert (made / "3.parquet").exists()


def test_what_broke_is_told_and_tried_again(folder):
    (folder / "3.csv").write_text("broken")
    first = call(folder)
    assert [str(o.error) for o in first.failures] == ["no room on the disk"]
    assert first.rows["3.csv"]["status"] == "failed"
    assert len(first.rows) == 8
    again = call(folder)
    assert (again.made, again.taken) == (1, 7)


def dies(report, work):
    """Ends its process at one of the takes."""
    if work.file.name == "3":
        os.kill(os.getpid(), signal.SIGKILL)
    return made_up(report, work)


def test_a_take_that_ends_its_process_is_one_that_failed(folder):
    library = folder.parent / "library"
    settings = ImportSettings("takes", library, "g1", RecordingDescription())
    result = import_takes(find_takes(folder, library), settings, dies, processes=1)
    assert "its process was killed" in result.rows["3.csv"]["reason"]
    statuses = [row["status"] for row in result.rows.values()]
    assert (statuses.count("certified"), statuses.count("failed")) == (7, 1)


def test_takes_that_are_gone_stay_in_the_table(folder):
    call(folder)
    (folder / "3.csv").unlink()
    result = call(folder)
    assert result.gone == ("3.csv",)
    assert len(result.rows) == 7
    assert len(TakeTable(folder.parent / "library").rows) == 8


PARENT = """\
import sys
from pathlib import Path
from tests.backbeat.test_import_folder import call

if __name__ == "__main__":
    result = call(Path(sys.argv[1]))
    print(result.made, result.taken)
"""


@pytest.mark.parametrize("marks", [(3,), pytest.param((2, 5), marks=pytest.mark.slow)])
def test_an_import_that_is_killed_is_as_one_that_was_not(folder, tmp_path, marks):
    trace, script = tmp_path / "trace", tmp_path / "parent.py"
    trace.mkdir()
    script.write_text(PARENT)
    called = [sys.executable, script, folder]
    paths = os.pathsep.join(sys.path)
    environment = {**os.environ, "PYTHONPATH": paths, "IMPORT_TRACE": str(trace)}
    slow, fast = ({**environment, "IMPORT_PAUSE": pause} for pause in ("0.4", "0"))
    library = tmp_path / "library"
    deadline = time.monotonic() + PATIENCE
    for rows in marks:
        with subprocess.Popen(called, env=slow, stderr=subprocess.DEVNULL) as first:
            while len(_rows(library)) < rows:
                assert time.monotonic() < deadline
                time.sleep(0.02)
            first.send_signal(signal.SIGKILL)
        assert rows <= len(_rows(library)) < 8
    kept = len(_rows(library))
    last = subprocess.run(called, env=fast, capture_output=True, text=True, check=False)
    assert last.stdout.split() == [str(8 - kept), str(kept)], last.stderr
    # Nothing was done twice but what a kill interrupted.
    assert len(list(trace.iterdir())) <= 8 + len(marks)
    table = _rows(library)
    assert sorted(table["source"]) == [f"{k}.csv" for k in range(8)]
    assert set(table["status"]) == {"certified"}
    for k in range(8):
        assert (library / "g1" / f"{k}.parquet").read_text() == f"take {k}"


def _rows(library):
    files = sorted(table_path(library).glob("part-*.parquet"))
    # By its path it would be opened twice, and be another one in between.
    frames = [pd.read_parquet(BytesIO(f.read_bytes())) for f in files]
    return pd.concat(frames) if frames else pd.DataFrame()


def test_what_is_left_out_of_a_take():
    assert left_out([(0.0, 10.0)], (0.0, 10.0)) == []
    assert left_out([(0.05, 9.96)], (0.0, 10.0)) == []
    assert left_out([(5.0, 8.0), (0.5, 3.0)], (0.0, 10.0)) == [
        (0.0, 0.5),
        (3.0, 5.0),
        (8.0, 10.0),
    ]
    assert left_out([(0.0, 6.0), (1.0, 10.0)], (0.0, 10.0)) == []


@pytest.fixture(scope="module")
def takes(tmp_path_factory):
    """A motion that floats, one that begins on one foot, and what is none."""
    folder = tmp_path_factory.mktemp("imported") / "my takes"
    (folder / "day 1").mkdir(parents=True)
    states = states_of("g1", 50.0)
    q = states.q.copy()
    q[:, 6] += 0.03
    floating = type(states)(**{**vars(states), "q": q})
    content = WRITTEN["mjlab"].write(floating)
    (folder / "day 1" / "it's: #1.npz").write_bytes(content)
    (folder / "lifted.csv").write_bytes(WRITTEN["csv"].write(_lifted(states)))
    (folder / "nan.csv").write_text("t,left_hip_pitch_joint\n0,nan\n1,0\n2,0\n3,0\n")
    (folder / "code.pkl").write_bytes(b"\x80\x04K\x01.")
    (folder / "README.md").write_text("mine")
    os.mkfifo(folder / "pipe.csv")
    return folder


def _lifted(states):
    """The same motion, before which the left leg is in the air for half a second."""
    robot, n = states.robot, 25
    lifted = np.repeat(states.q[:1], n, axis=0)
    u = np.linspace(1.0, 0.0, n) ** 2
    for name, share in (("hip_pitch", -0.4), ("knee", 0.8), ("ankle_pitch", -0.4)):
        j = robot.joint_index(f"left_{name}_joint")
        lifted[:, robot.base_positions + j] += share * np.minimum(1.0, 2 * u)
    parts = {
        key: np.concatenate([np.repeat(value[:1], n, axis=0), value])
        for key, value in vars(states).items()
        if key in ("v", "tau", "touches", "wrench")
    }
    q = np.concatenate([lifted, states.q])
    t = np.arange(len(q)) / 50.0
    return type(states)(**{**vars(states), **parts, "q": q, "t": t, "rate": None})


@pytest.fixture(scope="module")
def imported(takes):
    """The library of that folder, by the command, and what was said."""
    library = takes.parent / "library"
    said = _command(takes, "-o", library, "--robot", "g1", "--jobs", 1)
    assert said.returncode == 0, said.stderr
    return library, said


def _command(*arguments):
    called = [sys.executable, "-m", "backbeat.cli.main", "import", *map(str, arguments)]
    return subprocess.run(called, capture_output=True, text=True, check=False)


def test_each_take_is_certified_cut_or_refused_with_a_reason(imported):
    library, said = imported
    table = pd.read_parquet(table_path(library)).set_index("source")
    assert list(pd.read_parquet(table_path(library)).columns) == list(COLUMNS)
    assert table["status"].to_dict() == {
        "code.pkl": "refused",
        "day 1/it's: #1.npz": "certified",
        "lifted.csv": "cut",
        "nan.csv": "refused",
        "pipe.csv": "refused",
    }
    assert "batch_gmr_pkl_to_csv" in table["reason"]["code.pkl"]
    assert "nan.csv:2: left_hip_pitch_joint is nan" in table["reason"]["nan.csv"]
    assert "pipe.csv: it is a pipe" in table["reason"]["pipe.csv"]
    assert "passed over, as no motions: 1 .md" in said.stderr
    assert "5/5" in said.stderr
    assert "5 takes: 1 certified, 1 cut, 3 refused" in said.stdout
    for reason in table["reason"][table["status"] == "refused"]:
        assert str(library.parent) not in reason
        assert f": {reason}\n" in said.stdout
    ((begin, end),) = json.loads(table["cuts"]["lifted.csv"])
    assert begin == 0.0
    assert 0.1 < end <= 0.6
    assert table["kept_s"]["lifted.csv"] == pytest.approx(2.5 - end, abs=0.06)


def test_a_take_on_its_knees_keeps_its_longest_part(tmp_path):
    g1 = robot_named("g1")
    (tmp_path / "takes").mkdir()
    kneels = [(0, STANDS), (2, STANDS), (3, KNEELS), (4, KNEELS), (5, STANDS)]
    take = floor_take(g1, [*kneels, (6, STANDS)])
    write_take(take, tmp_path / "takes" / "kneels.csv")
    always = floor_take(g1, [(0, KNEELS), (3, KNEELS)])
    write_take(always, tmp_path / "takes" / "always.csv")
    said = _command(tmp_path / "takes", "-o", tmp_path / "made", "--robot", "g1")
    assert said.returncode == 0, said.stderr
    table = pd.read_parquet(table_path(tmp_path / "made")).set_index("name")
    assert table["status"].to_dict() == {"always": "refused", "kneels": "cut"}
    assert "no part remains" in table["reason"]["always"]
    assert "both knees on the floor from" in table["reason"]["kneels"]
    (obstacle,) = json.loads(table["obstacles"]["kneels"])
    assert "both knees" in obstacle["what"]
    assert (obstacle["start"], obstacle["end"]) == pytest.approx((3.0, 4.0), abs=0.3)
    ((begin, end),) = json.loads(table["cuts"]["kneels"])
    assert (begin, end) == pytest.approx((2.0, 6.0), abs=0.3)


def test_figures_are_those_of_the_take_and_of_its_behavior(imported, takes):
    library, _ = imported
    table = pd.read_parquet(table_path(library))
    row = table[table["name"] == "day-1-it-s-1"].iloc[0]
    assert (row["seconds"], row["frames"], row["format"]) == (2.0, 101, "mjlab")
    take = read_take(takes / row["source"], robot_named("g1"))
    before = examine(take, robot_named("g1"), "take")
    slide = {c.name: c.value for c in before.checks.checks}["foot_slide"]
    assert row["slide_before_mm"] == pytest.approx(1e3 * slide)
    assert not row["feasible_before"]
    assert row["slide_after_mm"] < 3.0
    assert row["penetration_after_mm"] < 1.0
    # It floats by 30 mm, and is nearly right otherwise.
    assert row["root_rms_mm"] == pytest.approx(30.0, abs=5.0)
    assert row["joints_rms_deg"] < 3.0
    behavior = Library(library).load(row["name"], "g1")
    assert behavior.certificate.passed
    assert row["behavior_s"] == behavior.duration
    assert row["ends_s"] - row["begins_s"] == pytest.approx(2.0, abs=0.05)
    assert 0 < row["processor_s"] < 60
    content = (takes / row["source"]).read_bytes()
    assert row["sha256"] == hashlib.sha256(content).hexdigest()


def test_the_folder_is_a_library(imported, backbeat):
    library, _ = imported
    code, said, _ = backbeat("list", "--library", library, "--json")
    assert code == 0
    listed = json.loads(said)
    assert [row["name"] for row in listed["built"]] == ["day-1-it-s-1", "lifted"]
    assert listed["damaged"] == {}
    code, said, complaint = backbeat("info", "lifted", "--library", library)
    assert code == 0, complaint
    assert "compared with the take, the root is off by up to" in said
    report = library.parent / "report.html"
    words = ["day-1-it-s-1", "--library", library, "-o", report]
    code, _, complaint = backbeat("report", *words)
    assert code == 0, complaint
    # The take is read again, from the library, which has a copy.
    assert "As it is, the take is not feasible: it exceeds" in report.read_text()


def test_the_same_command_has_nothing_left_to_do(imported, takes):
    library, _ = imported
    again = _command(takes, "-o", library, "--robot", "g1")
    assert again.returncode == 0
    assert f"0 made, 5 taken from {table_path(library.absolute())}" in again.stdout


def test_certified_motions_are_a_data_set_with_a_card(imported, backbeat, tmp_path):
    library, _ = imported
    data = tmp_path / "data"
    words = ["export", library, "--format", "mjlab", "--format", "csv-g1", "-o", data]
    code, said, complaint = backbeat(*words, "--license", "CC0 | ours")
    assert code == 0, complaint
    assert "2 motions of g1" in said
    card = json.loads((data / "card.json").read_text())
    page = (data / "README.md").read_text()
    assert card["license"] == "CC0 | ours"
    assert r"| license | CC0 \| ours |" in page
    assert card["counts"] == {"certified": 1, "cut": 1, "refused": 3}
    assert card["command"] == "backbeat import my takes --robot g1"
    assert "5 takes of the folder my takes" in page
    assert str(tmp_path) not in page + json.dumps(card)
    assert [f["rate"] for f in card["formats"]] == [50.0, 30.0]
    for motion in card["motions"]:
        for form, file in motion["files"].items():
            content = (data / file["path"]).read_bytes()
            assert hashlib.sha256(content).hexdigest() == file["sha256"]
            take = read_take(data / file["path"], robot_named("g1"))
            assert len(take.t) == file["samples"], form
            assert examine(take, robot_named("g1"), form).off_balance == 0.0
    for line in (data / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((data / name).read_bytes()).hexdigest() == digest
    table = pd.read_parquet(data / "takes.parquet")
    assert list(table["name"]) == [m["name"] for m in card["motions"]]
    # What is there is left as it is.
    assert backbeat(*words)[0] == 2
    assert not list(tmp_path.glob(".data*"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("import", "takes", "-o", "takes"), "is the folder of the takes"),
        (("import", "takes", "-o", "full"), "has other files"),
        (("import", "empty"), "there is no motion file in"),
        (("import", "takes", "--robot", "r2"), "r2"),
        (("import", "takes/0.csv", "--jobs", 2), "are of a folder of takes"),
        (("export", "takes", "--format", "csv"), "without imported takes"),
        (("export", "takes"), "name the formats of a data set"),
        (("export", "stand", "--license", "mine"), "--license is of a data set"),
        (("export", "stand", *["--format", "csv"] * 2), "several formats"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    folder, backbeat, monkeypatch, words, sentence
):
    monkeypatch.chdir(folder.parent)
    (folder.parent / "empty").mkdir()
    (folder.parent / "full").mkdir()
    (folder.parent / "full" / "a.txt").write_text("mine")
    before = sorted(folder.parent.rglob("*"))
    code, _, complaint = backbeat(*words)
    assert code == 2
    assert sentence in complaint
    assert sorted(folder.parent.rglob("*")) == before


@pytest.mark.browser
def test_the_page_is_browsed(imported, window):
    library, _ = imported
    window.open(library / "index.html")
    shown = "[...document.querySelectorAll('article')].filter((a) => !a.hidden).length"
    assert window.run(shown) == 5
    # Images come lazily: a busy machine has not decoded the first one yet.
    window.wait_for("document.querySelector('img').naturalWidth === 480")
    window.page.fill("#search", "PIPE")
    assert window.run(shown) == 1
    window.page.uncheck("input[value=refused]")
    assert window.run(shown) == 0
    window.page.fill("#search", "")
    assert window.run(shown) == 2
    assert window.page.inner_text("#shown") == "2 of 5 shown"
    window.page.set_viewport_size({"width": 390, "height": 844})
    assert window.run("document.documentElement.scrollWidth") <= 390


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_cluster_imports_a_folder_too(folder):
    distributed = pytest.importorskip("distributed")
    from backbeat.jobs.cluster import cluster_executors

    library = folder.parent / "library"
    settings = ImportSettings("takes", library, "g1", RecordingDescription())
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
        ) as local,
        cluster_executors(local.scheduler_address) as executors,
    ):
        found = find_takes(folder, library)
        result = import_takes(found, settings, made_up, executors=executors)
    assert result.made == 8
    assert {row["status"] for row in result.rows.values()} == {"certified"}
