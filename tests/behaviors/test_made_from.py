"""A behavior in the library is found by the file that it was built from."""

from dataclasses import replace

import pytest

from backbeat.behaviors.building.build_command import build_command, build_notes
from backbeat.behaviors.kinematic.behavior import read_score
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.music.notation.score_description import Adaptation
from backbeat.behaviors.specification.kinds import (
    Variant,
    drumming_text,
    find_specification,
    read_any,
)
from backbeat.models.common.errors import BackbeatError

TAB = "bpm: 100\nHH|x-x-|\nSN|--o-|\n"


@pytest.fixture
def song(tmp_path, built):
    """A library with a song that came as a tablature in another folder.

    Its motion is that of another behavior, which nothing here looks at.
    """
    file = tmp_path / "songs" / "my-song.tab"
    file.parent.mkdir()
    file.write_text(TAB)
    adapt = Adaptation(mapping={"snare": "floor_tom"}, unplayable="drop")
    variant = Variant(adapt)
    specification, text = read_any(file, variant)
    made = {**built("stand").provenance, **build_notes(file, variant)}
    behavior = replace(
        built("stand"), name=specification.name, specification=text, provenance=made
    )
    library = Library(tmp_path / "library")
    library.save(behavior)
    return library, file


def test_the_command_names_file_and_options(song, monkeypatch, tmp_path):
    library, file = song
    loaded = library.load("my-song")
    monkeypatch.chdir(tmp_path)
    options = "--map snare=floor_tom --unplayable drop"
    assert build_command(loaded) == f"backbeat build songs/my-song.tab {options}"
    monkeypatch.chdir(file.parent.parent / "library")
    assert build_command(loaded) == f"backbeat build {file} {options}"


@pytest.mark.parametrize("robot", ["", "g1"])
def test_the_command_of_what_ships_names_it_alone(built, robot):
    shipped = find_specification("stand")
    notes = build_notes(shipped, Variant(robot=robot))
    behavior = replace(built("stand"), provenance=notes)
    on = f" --robot {robot}" * bool(robot)
    assert build_command(behavior) == f"backbeat build stand{on}"
    # Earlier versions have noted nothing.
    early = replace(behavior, provenance={}, robot=robot or "atlas")
    assert build_command(early) == f"backbeat build stand{on}"


def test_a_song_is_found_from_another_folder(song, monkeypatch, tmp_path):
    library, file = song
    monkeypatch.chdir(tmp_path)
    score, specification, _ = read_score("my-song", library)
    assert {h.member for h in score.hits} == {"hi_hat", "floor_tom"}
    assert specification.adapt.mapping == {"snare": "floor_tom"}
    # It goes with its library.
    moved = tmp_path / "moved"
    moved.mkdir()
    for folder in ("songs", "library"):
        (tmp_path / folder).rename(moved / folder)
    assert read_score("my-song", Library(moved / "library"))[0].hits == score.hits
    (moved / "songs" / file.name).unlink()
    with pytest.raises(BackbeatError, match=r"was built from .* not there any more"):
        read_score("my-song", Library(moved / "library"))
    with pytest.raises(BackbeatError, match="unknown behavior 'your-song'"):
        read_score("your-song", library)
    assert drumming_text(file)
