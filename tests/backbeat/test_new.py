"""`backbeat new`, and music that is built straight from its file."""

import json
from pathlib import Path

import pytest

from backbeat.behaviors.building.build_key import build_key
from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.music.files.score_reader import load_score
from backbeat.behaviors.specification.kinds import find_specification, read_any
from backbeat.cli.main import main
from backbeat.models.common import atomic_file
from backbeat.models.kit.drum_kit import DrumKit
from tests.behaviors.midi_files import bpm, hit, midi_bytes


def call(monkeypatch, capsys, *arguments):
    """Exit code and what was printed."""
    monkeypatch.setattr("sys.argv", ["backbeat", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    captured = capsys.readouterr()
    return ended.value.code or 0, captured.out, captured.err


def test_new_writes_what_can_be_read(monkeypatch, capsys, tmp_path):
    code, out, _ = call(
        monkeypatch, capsys, "new", "drumming", "my-song", "--folder", tmp_path
    )
    assert code == 0
    assert "my-song.yaml" in out
    specification, _ = read_any(find_specification(tmp_path / "my-song.yaml"))
    assert specification.name == "my-song"
    path = specification.score_path(tmp_path)
    score = load_score(path, kit_members(DrumKit()))
    assert len(score.hits) > 20
    assert score.remarks == ("4 hits of kick dropped",)


@pytest.mark.parametrize(
    ("kind", "name", "sentence"),
    [
        ("drumming", "old", "exists and is left as it is"),
        ("drumming", "../out", "is not a behavior name"),
        ("drumming", "My Song", "is not a behavior name"),
        ("drumin", "song", "did you mean drumming"),
    ],
)
def test_new_refuses(monkeypatch, capsys, tmp_path, kind, name, sentence):
    (tmp_path / "scores").mkdir()
    (tmp_path / "scores" / "old.yaml").write_text("mine")
    code, out, err = call(monkeypatch, capsys, "new", kind, name, "--folder", tmp_path)
    assert (code, out) == (2, "")
    assert sentence in err
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["old.yaml"]
    assert (tmp_path / "scores" / "old.yaml").read_text() == "mine"


def test_new_writes_all_or_nothing(monkeypatch, capsys, tmp_path):
    words = ("new", "drumming", "song", "--folder", tmp_path)
    (tmp_path / "scores").write_text("no folder")
    code, out, err = call(monkeypatch, capsys, *words)
    assert (code, out) == (2, "")
    assert "cannot write" in err
    (tmp_path / "scores").unlink()
    files, replacing = [], atomic_file.replacing

    def interrupted(path):
        files.append(path)
        if len(files) == 2:
            # Somebody else has written it meanwhile.
            path.parent.mkdir(parents=True)
            path.write_text("theirs")
            raise KeyboardInterrupt
        return replacing(path)

    monkeypatch.setattr(atomic_file, "replacing", interrupted)
    assert call(monkeypatch, capsys, *words)[0] == 130
    assert len(files) == 2
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == files[1:]
    assert files[1].read_text() == "theirs"


def drums(tempo=100):
    notes = [(480 * k, hit(42 if k % 2 else 38)) for k in range(4)]
    return midi_bytes([[(0, bpm(tempo)), (0, hit(36)), *notes]])


def test_a_behavior_of_a_file_depends_on_its_bytes(tmp_path):
    path = tmp_path / "My Song (v2).mid"
    keys = []
    for tempo in (100, 101, 100):
        path.write_bytes(drums(tempo))
        specification, text = read_any(find_specification(path))
        assert specification.name == "my-song-v2"
        assert specification.score_path(path.parent) == path
        keys.append(build_key(specification, text, path.parent))
    assert keys[0] == keys[2] != keys[1]


def test_a_score_that_names_notes_depends_on_them(tmp_path):
    (tmp_path / "scores").mkdir()
    (tmp_path / "song.yaml").write_text("kind: drumming\nname: song\nscore: song\n")
    (tmp_path / "scores" / "song.yaml").write_text("notes: song.mid\n")
    keys = set()
    for tempo in (100, 101):
        (tmp_path / "scores" / "song.mid").write_bytes(drums(tempo))
        specification, text = read_any(tmp_path / "song.yaml")
        keys.add(build_key(specification, text, tmp_path))
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("song.mid", b"MThd", "song.mid is no MIDI file that can be read"),
        ("song.tab", b"HH|x-y-|", "'y' is no mark"),
        ("song.tab", b"\xff\xfe", "is not text in UTF-8"),
        ("...mid", drums(), "name the file with letters"),
        ("none.midi", None, "no specification file"),
    ],
)
def test_a_file_that_is_no_music(monkeypatch, capsys, tmp_path, name, data, sentence):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    library = tmp_path / "library"
    code, out, err = call(monkeypatch, capsys, "build", path, "--library", library)
    assert (code, out) == (2, "")
    assert sentence in err
    assert "Traceback" not in err
    assert not library.exists()


@pytest.mark.slow
def test_new_and_files_are_built(monkeypatch, capsys, tmp_path):
    call(monkeypatch, capsys, "new", "drumming", "mine", "--folder", tmp_path)
    (tmp_path / "song.mid").write_bytes(drums())
    (tmp_path / "beat.tab").write_text("HH|x-x-x-x-|\nSN|--O---O-|\nBD|o---o---|\n")
    paths = [tmp_path / name for name in ("mine.yaml", "song.mid", "beat.tab")]
    library = tmp_path / "library"
    code, out, err = call(
        monkeypatch, capsys, "build", *paths, "--library", library, "--json"
    )
    assert code == 0, err
    built = {b["name"]: b for b in json.loads(out)}
    assert set(built) == {"mine", "song", "beat"}
    assert built["song"]["remarks"] == ["1 hit of kick dropped"]
    assert len(list(Path(library).rglob("*.parquet"))) == 3


def test_new_writes_a_dance_that_passes_the_check(monkeypatch, capsys, tmp_path):
    new = ("new", "dance", "my-dance", "--folder", tmp_path)
    assert call(monkeypatch, capsys, *new)[0] == 0
    code, out, _ = call(monkeypatch, capsys, "check", tmp_path / "my-dance.yaml")
    assert (code, out) == (0, "0 failures, 0 warnings\n")


def test_check_tells_the_line_and_fix_corrects_it(monkeypatch, capsys, tmp_path):
    call(monkeypatch, capsys, "new", "dance", "my-dance", "--folder", tmp_path)
    path = tmp_path / "my-dance.yaml"
    text = path.read_text()
    path.write_text(text.replace("move: bounce", "move: bonce"))
    line = 1 + text[: text.index("move: bounce")].count("\n")
    code, out, _ = call(monkeypatch, capsys, "check", path)
    assert code == 2
    assert f"{path}:{line}: failure: unknown move" in out
    assert out.endswith("\n1 failure, 0 warnings; --fix corrects 1\n")
    assert call(monkeypatch, capsys, "check", "--fix", path)[0] == 0
    assert path.read_text() == text


def test_a_fixed_file_keeps_the_ends_of_its_lines(monkeypatch, capsys, tmp_path):
    call(monkeypatch, capsys, "new", "dance", "my-dance", "--folder", tmp_path)
    path = tmp_path / "my-dance.yaml"
    text = path.read_bytes().replace(b"\n", b"\r\n")
    path.write_bytes(text.replace(b"move: bounce", b"move: bonce"))
    assert call(monkeypatch, capsys, "check", "--fix", path)[0] == 0
    assert path.read_bytes() == text


@pytest.mark.parametrize("command", ["check", "build"])
def test_a_file_in_another_encoding(monkeypatch, capsys, tmp_path, command):
    path = tmp_path / "mine.yaml"
    path.write_text("kind: dance\nname: mine\n", "utf-16")
    code, _, err = call(monkeypatch, capsys, command, path)
    assert code == 2
    assert err.endswith(f"{path} is not text in UTF-8; save it as such.\n")


def test_what_fails_the_check_is_not_built(monkeypatch, capsys, tmp_path):
    call(monkeypatch, capsys, "new", "dance", "my-dance", "--folder", tmp_path)
    path = tmp_path / "my-dance.yaml"
    path.write_text(path.read_text().replace("beats: 32", "beats: 20"))
    built = call(monkeypatch, capsys, "build", path, "--library", tmp_path / "library")
    assert built[0] == 2
    assert f"{path}:" in built[2]
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_move_is_played_alone(monkeypatch, capsys, tmp_path):
    path = tmp_path / "nod.html"
    code, out, _ = call(
        monkeypatch, capsys, "play", "--move", "nod", "--record", path, "--fps", 5
    )
    assert code == 0
    assert path.stat().st_size > 100_000
    assert "nod.html" in out
    assert call(monkeypatch, capsys, "play", "--move", "nodd")[0] == 2
    # In the checkout's own library there may be something to play.
    library = "--library", tmp_path / "library"
    assert call(monkeypatch, capsys, "play", *library)[0] == 2
