"""The library: what is stored comes back whole and unchanged, or not at all."""

import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.library.robots import folder_name, robot_hash
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.library.stored import check_name
from backbeat.models.common.errors import BackbeatError
from tests.backbeat.performances import swaying
from tests.behaviors.identity import same

HOSTILE = [
    "../x",
    "a/b",
    "a\\b",
    "/etc/passwd",
    ".hidden",
    "",
    " ",
    "Groove",
    "groove\n",
    "groove\0",
    "-rf",
    "ä",
    "x" * 65,
]


def test_what_is_saved_is_loaded_to_the_last_bit(library, stored, drums):
    assert same(library.load("drums"), drums)


@pytest.mark.parametrize("name", ["posture-tour", "outstanding"])
def test_a_built_behavior_comes_back_to_the_last_bit(tmp_path, built, name):
    """With free base and patches, or welded with impacts: the whole table."""
    behavior, library = built(name), Library(tmp_path)
    library.save(behavior)
    assert same(library.load(name), behavior)


def test_the_table_reads_without_backbeat(stored, drums):
    table = pd.read_parquet(stored)
    np.testing.assert_array_equal(table["t"], drums.motion.t)
    column = drums.robot_model.joint_index("l_arm_elx")
    np.testing.assert_array_equal(table["q.l_arm_elx"], drums.motion.q[:, column])
    header = json.loads(pq.read_schema(stored).metadata[b"backbeat"])["header"]
    assert header["bpm"] == 98.0


def test_an_empty_library_has_no_names(library):
    assert library.names() == []
    assert library.table().empty
    assert library.key("drums") is None
    with pytest.raises(BackbeatError, match="unknown behavior in library"):
        library.load("drums")


@pytest.fixture
def sways(library):
    """Library with a behavior of one name on Atlas, the hands of Atlas and an arm."""
    for robot in ("ur10", "atlas", "atlas_hands"):
        library.save(swaying(0.5, robot))
    return library


def test_behaviors_of_one_name_are_kept_by_robot(sways):
    found = [p.relative_to(sways.folder).as_posix() for p in files_of(sways)]
    assert found == [
        "atlas/sway.parquet",
        "atlas-hands/sway.parquet",
        "ur10/sway.parquet",
    ]
    assert sways.names() == ["sway"]
    assert [s.robot for s in sways.stored()] == ["atlas", "atlas-hands", "ur10"]
    assert list(sways.table()["robot"]) == ["atlas", "atlas_hands", "ur10"]
    for robot in ("atlas", "atlas_hands", "ur10"):
        behavior = sways.load("sway", robot)
        assert behavior.robot == robot
        assert same(behavior, swaying(0.5, robot))
        assert [s.name for s in sways.stored(robot)] == ["sway"]
    # Without a robot it is Atlas's.
    assert sways.load("sway").robot == "atlas"


def test_without_atlas_the_only_one_is_taken_and_of_several_none(sways):
    sways.path("sway", "atlas").unlink()
    with pytest.raises(BackbeatError, match=r"for atlas-hands and ur10; choose"):
        sways.load("sway")
    assert sways.key("sway") is None
    sways.path("sway", "ur10").unlink()
    assert sways.load("sway").robot == "atlas_hands"
    with pytest.raises(
        BackbeatError,
        match=r"not built for ur10 but for atlas-hands; .*build sway --robot ur10",
    ):
        sways.load("sway", "ur10")
    with pytest.raises(BackbeatError, match="unknown robot 'hal'"):
        sways.load("sway", "hal")


def test_a_build_is_found_by_its_key_whichever_robot_it_is_of(library):
    for robot in ("atlas", "ur10"):
        behavior = swaying(0.5, robot)
        made = {**behavior.provenance, "key": f"of {robot}"}
        library.save(dataclasses.replace(behavior, provenance=made))
    for robot in ("atlas", "ur10"):
        assert library.load_build("sway", f"of {robot}").robot == robot
    assert library.load_build("sway", "of another", "ur10").robot == "ur10"
    assert library.load_build("sway", None).robot == "atlas"


def own_arm(folder, text=""):
    """Path of the YAML of a robot that is called ur10 like the one that ships."""
    path = folder / "arm.yaml"
    path.write_text(f"name: ur10\nlike: ur10\n{text}")
    return str(path)


def test_robots_of_one_name_are_told_apart(library, tmp_path):
    mine = own_arm(tmp_path)
    behavior = swaying(0.5, "ur10")
    library.save(behavior)
    assert library.load("sway", "ur10").robot == "ur10"
    with pytest.raises(BackbeatError, match=r"another robot called ur10, ur10; give"):
        library.load("sway", mine)
    with pytest.raises(BackbeatError, match=r"with --force in its place"):
        library.check_replaced("sway", mine)
    library.check_replaced("sway", "ur10")
    library.check_replaced("other", mine)


def test_a_robot_that_was_moved_is_known_by_its_description(library, tmp_path):
    mine = own_arm(tmp_path)
    behavior = swaying(0.5, mine)
    made = {**behavior.provenance, "robot_hash": robot_hash(mine)}
    library.save(dataclasses.replace(behavior, provenance=made))
    (tmp_path / "moved").mkdir()
    other = own_arm(tmp_path / "moved")
    # The same file, whatever it says, and one that says the same.
    for robot in (mine, other):
        library.check_replaced("sway", robot)
        assert library.load("sway", robot).robot == mine
    own_arm(tmp_path, "locked: {wrist_3: 0.0}\n")
    library.check_replaced("sway", mine)
    own_arm(tmp_path / "moved", "soft_limit_margin: 0.1\n")
    with pytest.raises(BackbeatError, match="another robot called ur10"):
        library.check_replaced("sway", other)


def test_files_of_earlier_versions_are_read_and_replaced(sways):
    early = sways.folder / "sway.parquet"
    sways.path("sway", "atlas").rename(early)
    assert [s.robot for s in sways.stored()] == ["", "atlas-hands", "ur10"]
    assert sways.load("sway").robot == sways.load("sway", "atlas").robot == "atlas"
    assert sways.load("sway", "ur10").robot == "ur10"
    sways.save(swaying(0.5, "ur10"))
    assert early.exists()
    path = sways.save(swaying(0.5))
    assert not early.exists()
    assert path == sways.folder / "atlas" / "sway.parquet"


def test_robots_have_folders_with_plain_names():
    names = ["g1", "Unitree G1", "atlas_v3", "../x", "cards", "...", "x" * 80]
    assert [folder_name(n) for n in names] == [
        *("g1", "unitree-g1", "atlas-v3", "x", "robot-cards", "robot", "x" * 64),
    ]


def files_of(library):
    """Files of a library, sorted."""
    return sorted(p for p in library.folder.rglob("*") if p.is_file())


def test_a_near_miss_is_suggested(library, stored):
    assert library.names() == ["drums"]
    with pytest.raises(BackbeatError, match="did you mean drums"):
        library.load("drms")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_touches_no_file(library, drums, name):
    with pytest.raises(BackbeatError, match="is not a behavior name"):
        check_name(name)
    for use in (library.path, library.load):
        with pytest.raises(BackbeatError, match="is not a behavior name"):
            use(name)
    with pytest.raises(BackbeatError, match="is not a behavior name"):
        library.save(dataclasses.replace(drums, name=name))
    assert not library.folder.parent.joinpath("x.parquet").exists()
    assert not library.folder.exists()


def test_foreign_files_in_the_folder_are_not_behaviors(library, stored):
    (library.folder / "cards").mkdir()
    for name in ("notes.txt", "Up.parquet", ".x.parquet", "drums.parquet.part"):
        for folder in (library.folder, stored.parent, library.folder / "cards"):
            (folder / name).write_bytes(b"?")
    # Tables of a card, as earlier versions kept them.
    (library.folder / "cards" / "drums-pushes.parquet").write_bytes(b"?")
    assert library.names() == ["drums"]


class Interrupted(KeyboardInterrupt):
    """Control-C at the worst moment."""


@pytest.mark.parametrize("error", [OSError(28, "No space left"), Interrupted()])
def test_a_failure_in_the_middle_leaves_the_old_file(
    library, stored, drums, monkeypatch, error
):
    before = stored.read_bytes()

    def half_written(table, file, **kwargs):
        file.write(b"PAR1 and a part of the rest")
        raise error

    monkeypatch.setattr(pq, "write_table", half_written)
    expected = BackbeatError if isinstance(error, OSError) else Interrupted
    with pytest.raises(expected):
        library.save(dataclasses.replace(drums, summary="newer"))
    assert stored.read_bytes() == before
    assert list(stored.parent.iterdir()) == [stored]


def test_a_first_save_that_fails_leaves_nothing(library, drums, monkeypatch):
    def nothing(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", nothing)
    with pytest.raises(BackbeatError, match="No space left on device"):
        library.save(drums)
    assert [p for p in library.folder.rglob("*") if p.is_file()] == []


def test_a_folder_that_is_a_file_is_one_sentence(tmp_path, drums):
    (tmp_path / "library").write_text("")
    with pytest.raises(BackbeatError, match="cannot write"):
        Library(tmp_path / "library").save(drums)


def test_what_ships_and_is_not_built_is_told_how_to_be(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BackbeatError, match=r"not built yet.*backbeat build groove$"):
        Library().load("groove")
    with pytest.raises(BackbeatError, match=r"backbeat build show --library mine$"):
        Library("mine").load("show")
    with pytest.raises(BackbeatError, match="unknown behavior in library 'grove'"):
        Library().load("grove")


def test_threads_that_ask_for_a_robot_at_once_get_the_same_one():
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: make_robot("t1", (), Mount()), range(4)))
    assert all(robot is found[0] for robot in found)
