"""Files in a shared show: taken out whole, or refused as no data of one."""

import json

import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.stage.recording.shared import IDENTIFIER, SharedFiles, read_shared
from backbeat.stage.web.page import data_element

DANCE = "kind: dance\nname: it\ntracks: {}\n# </script><script>alert(1)</script>\n"


def page(found, before="", after=""):
    data = found if isinstance(found, str) else data_element(IDENTIFIER, found)
    return f"<html><body>{before}{data}{after}</body></html>"


def show(tmp_path, found, **around):
    path = tmp_path / "show.html"
    path.write_text(page(found, **around))
    return path


def test_files_come_out_as_they_were_and_are_written_once(tmp_path):
    files = {"it.yaml": DANCE, "moves/own.yaml": "name: own\n"}
    shared = read_shared(show(tmp_path, {"main": "it.yaml", "files": files}))
    assert shared == SharedFiles("it.yaml", files)
    assert shared.write(tmp_path) == tmp_path / "it.yaml"
    assert (tmp_path / "it.yaml").read_text() == DANCE
    assert (tmp_path / "moves" / "own.yaml").read_text() == "name: own\n"
    # Again, it is there; another one is left as it is, and nothing is written.
    shared.write(tmp_path)
    (tmp_path / "it.yaml").write_text("mine")
    (tmp_path / "moves" / "own.yaml").unlink()
    with pytest.raises(BackbeatError, match="another one than in the show"):
        shared.write(tmp_path)
    assert (tmp_path / "it.yaml").read_text() == "mine"
    assert not (tmp_path / "moves" / "own.yaml").exists()


@pytest.mark.parametrize(
    "name",
    [
        "../it.yaml",
        "/etc/it.yaml",
        "a/../../it.yaml",
        "a/b/it.yaml",
        "it.py",
        ".bashrc",
        ".git/hooks.yaml",
        "it.yaml\n",
        "C:\\it.yaml",
        "x" * 300 + ".yaml",
        "",
    ],
)
def test_names_that_lead_elsewhere_are_refused(tmp_path, name):
    found = {"main": name, "files": {name: DANCE}}
    with pytest.raises(BackbeatError, match="a show holds"):
        read_shared(show(tmp_path, found))
    assert [path.name for path in tmp_path.iterdir()] == ["show.html"]


@pytest.mark.parametrize(
    "found",
    [
        "",
        "<script>1</script>",
        [],
        {},
        {"main": "it.yaml"},
        {"main": "it.yaml", "files": []},
        {"main": "it.yaml", "files": {"it.yaml": 1}},
        {"main": "it.yaml", "files": {"it.yaml": DANCE}, "more": 1},
        {"main": "other.yaml", "files": {"it.yaml": DANCE}},
        {"main": "it.yaml", "files": {"it.yaml": "kind: nothing"}},
        {"main": "it.yaml", "files": {"it.yaml": "!!python/object:os.system {}"}},
        {"main": "f0.yaml", "files": {f"f{i}.yaml": DANCE for i in range(65)}},
        f'<script type="application/json" id="{IDENTIFIER}">' + "[" * 100_000,
        f'<script type="application/json" id="{IDENTIFIER}">'
        + "[" * 100_000
        + "</script>",
        f'<script type="application/json" id="{IDENTIFIER}">NaN</script>',
    ],
)
def test_what_is_no_show_is_refused_in_a_sentence(tmp_path, found):
    with pytest.raises(BackbeatError) as refused:
        read_shared(show(tmp_path, found))
    assert "\n" not in str(refused.value)


def test_a_page_with_files_twice_or_with_code_is_refused(tmp_path):
    found = {"main": "it.yaml", "files": {"it.yaml": DANCE}}
    with pytest.raises(BackbeatError, match="no show"):
        read_shared(show(tmp_path, found, before=data_element(IDENTIFIER, found)))
    evil = DANCE + "weights: {terms: /usr/lib/python3/x.py}\n"
    found = {"main": "it.yaml", "files": {"it.yaml": evil}}
    with pytest.raises(BackbeatError, match="unknown key"):
        read_shared(show(tmp_path, found))


def test_a_link_does_not_lead_files_out_of_the_folder(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "moves").symlink_to(outside)
    shared = SharedFiles("it.yaml", {"it.yaml": DANCE, "moves/a.yaml": "name: a\n"})
    with pytest.raises(BackbeatError, match="leads out of"):
        shared.write(inside)
    assert not list(outside.iterdir())
    assert not (inside / "it.yaml").exists()


def test_data_of_files_cannot_end_its_element():
    data = data_element(IDENTIFIER, {"files": {"it.yaml": DANCE}})
    assert data.count("</script>") == 1
    assert (
        json.loads(data.partition(">")[2].rpartition("<")[0])["files"]["it.yaml"]
        == DANCE
    )
