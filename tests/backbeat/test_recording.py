import gzip
import re

import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.stage.recording.acts import record_show, show_page
from backbeat.stage.recording.html import (
    page_of,
    record_behavior,
    record_run,
    write_page,
)
from backbeat.stage.sources.kinds import PlannedSource
from tests.backbeat.performances import drumming, run_of, swaying
from tests.backbeat.test_page import data, unpacked

MEGABYTE = 1e6


@pytest.fixture(scope="module")
def page():
    return page_of(PlannedSource(swaying(duration=2.0)))


def test_a_recording_needs_nothing_but_itself(page):
    tags = r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)="
    assert not re.search(tags, page)
    fetched = re.findall(r'fetch\("([^"]*)"\)\s*\.then', page)
    assert fetched
    assert all(url.startswith("data:") for url in fetched)


def test_a_recording_tells_what_the_caption_needs(page):
    info = data(page, "backbeat-info")
    assert info["name"] == "sway"
    assert info["note"] == ""
    assert [s["name"] for s in info["segments"]] == ["reach"]
    assert [layer["name"] for layer in info["layers"]] == [
        "contact forces, planned",
        "center of mass",
        "capture point",
        "predicted path",
        "predicted footholds",
        "predicted forces",
        "support polygon",
    ]


def test_only_what_moves_has_keyframes(page):
    moving = {(t.path, t.key) for t in unpacked(data(page, "backbeat-motion"))}
    assert ("/robot/l_hand", "position") in moving
    assert not any(path == "/robot/pelvis" for path, _ in moving)
    assert not any(path.startswith("/set") for path, _ in moving)


def test_a_welded_pelvis_is_said():
    info = data(page_of(PlannedSource(drumming(True, 1.0)), 10.0), "backbeat-info")
    assert info["note"] == "base welded in place"
    names = [layer["name"] for layer in info["layers"]]
    assert any(name.startswith("stick trails, 0 to") for name in names)
    assert {trail["path"] for trail in info["trails"]} == {
        "/stick trails/l_stick_tip",
        "/stick trails/r_stick_tip",
    }


@pytest.mark.parametrize(
    ("seconds", "run_most", "plan_most"),
    [(5.0, 8.0, 6.0), pytest.param(25.0, 12.0, 8.0, marks=pytest.mark.slow)],
)
def test_all_layers_stay_small(tmp_path, seconds, run_most, plan_most):
    behavior = drumming(duration=seconds)
    recording = record_run(run_of(behavior), tmp_path / "run.html")
    assert recording.size == (tmp_path / "run.html").stat().st_size
    assert recording.size <= run_most * MEGABYTE
    assert f"{recording.size / MEGABYTE:.1f} MB" in str(recording)
    plan = record_behavior(behavior, tmp_path / "plan.html")
    assert plan.size <= plan_most * MEGABYTE


def test_the_same_behavior_gives_the_same_motion(page):
    again = page_of(PlannedSource(swaying(duration=2.0)))
    for part in ("backbeat-info", "backbeat-motion"):
        assert data(again, part) == data(page, part)


def test_what_cannot_be_written_is_one_sentence_and_leaves_nothing(tmp_path):
    (tmp_path / "file").write_text("here first")
    for path in (tmp_path / "file" / "show.html", tmp_path):
        with pytest.raises(BackbeatError):
            write_page("page", path)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert not list(tmp_path.parent.glob("*.part"))


def test_a_recording_replaces_an_older_one_at_once(tmp_path):
    path = tmp_path / "new folder" / "show.html"
    write_page("old", path)
    write_page("newer", path)
    assert path.read_text() == "newer"
    assert [p.name for p in path.parent.iterdir()] == ["show.html"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_show_keeps_the_library_once_and_every_page_whole(tmp_path, page):
    show = show_page(["One", "Two </script>"], [page, page])
    assert len(show) < 0.7 * len(page)
    assert data_of(show, "titles") == '["One","Two \\u003c/script>"]'
    library, first, second = (
        unzipped(show, name) for name in ("library", "page-0", "page-1")
    )
    assert first == second
    assert first.replace("<!-- LIBRARY -->", library) == page


def test_a_show_of_runs_and_plans_is_written(tmp_path):
    behavior = swaying(duration=1.0)
    performances = [("Planned", behavior), ("Simulated", run_of(behavior))]
    recording = record_show(performances, tmp_path / "demo.html", fps=10.0)
    show = recording.path.read_text()
    kinds = [
        data(unzipped(show, f"page-{i}"), "backbeat-info")["kind"] for i in range(2)
    ]
    assert kinds == ["as planned", "simulated in closed loop, Drake"]


def data_of(page, identifier):
    return re.search(rf'id="{identifier}">(.*?)</script>', page, re.DOTALL).group(1)


def unzipped(show, identifier):
    import base64

    return gzip.decompress(base64.b64decode(data_of(show, identifier))).decode()
