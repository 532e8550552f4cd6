"""Building many behaviors: side by side, in spite of failures, and after interrupts."""

import json
import os
import re
import signal

import pyarrow.parquet as pq
import pytest

from backbeat.behaviors.building import build
from backbeat.behaviors.library.store import Library
from backbeat.cli.main import main
from tests.processes import PATIENCE, is_left_alone, running, sentences, start

SHORT = """\
kind: posture
name: {name}
summary: A short one.
start: stand
knot_spacing: 0.1
stations:
  - {{posture: crouch, move: 0.8, hold: {hold}}}
"""
# Takes seconds to solve, so that there is time to interfere.
LONG = SHORT.replace("0.1", "0.02").replace("{hold}", "1.5")
BEYOND_REACH = SHORT.replace("{hold}", "1, reach: {{l_hand_face: [3, 0, 1]}}")
MISSPELLED = SHORT.replace("hold:", "hodl:")


@pytest.fixture
def write(tmp_path):
    """`write(text, name...)` writes specifications and returns their paths."""

    def to(text, *names):
        paths = [tmp_path / f"{name}.yaml" for name in names]
        for k, path in enumerate(paths):
            path.write_text(text.format(name=path.stem, hold=0.1 + 0.1 * k))
        return paths

    return to


def contents(folder, name):
    """All that a library file says, but for what it took to make."""
    table = pq.read_table(folder / f"atlas/{name}.parquet")
    record = json.loads(table.schema.metadata[b"backbeat"])
    for key in ("seconds", "build_cpu_s", "solve_cpu_s"):
        assert record["header"]["provenance"].pop(key) > 0
    return table.replace_schema_metadata(None), record["header"]


def test_side_by_side_gives_what_one_after_the_other_gives(backbeat, write, tmp_path):
    paths = write(SHORT, "a", "b")
    together, alone = tmp_path / "together", tmp_path / "alone"
    options = ["--library", together, "--jobs", 2, "--json"]
    code, out, errors = backbeat("build", *paths, *options)
    assert code == 0
    assert [r["name"] for r in json.loads(out)] == ["a", "b"]
    assert backbeat("build", *paths, "--library", alone, "--jobs", 1)[0] == 0
    for name in "ab":
        bars = [
            e for e in errors.splitlines() if re.match(rf"{name} .*100 % .*stored", e)
        ]
        assert len(bars) == 1
        table, header = contents(together, name)
        same_table, same_header = contents(alone, name)
        assert table.equals(same_table)
        assert header == same_header


def test_failures_come_last_and_do_not_stop_the_others(backbeat, write, tmp_path):
    good = write(SHORT, "a", "b")
    bad = write(MISSPELLED, "typo") + write(BEYOND_REACH, "far")
    listed = [bad[0], good[0], bad[1], good[1]]
    options = ["--library", tmp_path / "library", "--jobs", 2, "--json"]
    code, out, errors = backbeat("build", *listed, *options)
    assert code == 2
    assert [r["name"] for r in json.loads(out)] == ["a", "b"]
    assert Library(tmp_path / "library").names() == ["a", "b"]
    typo, far = sentences(errors)
    assert errors.splitlines()[-2:] == [typo, far]
    assert "'hodl'; did you mean hold" in typo
    where = r"backbeat: \S+/far\.yaml:7: far, station 1"
    assert re.fullmatch(rf"{where}: l_hand_face cannot reach .* away\.", far)


def test_a_fault_of_ours_is_told_apart_and_stops_nobody(
    monkeypatch, capsys, write, tmp_path
):
    solve = build.solve

    def stumble(specification, *rest):
        if specification.name == "a":
            raise ZeroDivisionError("division by zero")
        return solve(specification, *rest)

    monkeypatch.setattr(build, "solve", stumble)
    command = ["build", *write(SHORT, "a", "b"), "--library", tmp_path / "library"]
    monkeypatch.setattr("sys.argv", ["backbeat", *map(str, command), "--jobs", "1"])
    # With a traceback, for it is us who have to mend it.
    with pytest.raises(ZeroDivisionError):
        main()
    assert Library(tmp_path / "library").names() == ["b"]
    (sentence,) = sentences(capsys.readouterr().err)
    assert sentence == "backbeat: a: unexpected ZeroDivisionError: division by zero."


def test_two_specifications_of_the_same_name_are_refused(backbeat, write, tmp_path):
    (path,) = write(SHORT, "a")
    other = tmp_path / "other.yaml"
    other.write_text(path.read_text())
    code, out, errors = backbeat("build", path, other, "--library", tmp_path, "--json")
    assert code == 2
    assert len(json.loads(out)) == 1
    assert len(sentences(errors)) == 1
    assert "other.yaml: another specification" in sentences(errors)[0]


def test_what_takes_the_place_of_a_shipped_behavior_says_so(backbeat, write, tmp_path):
    mine, groove = write(SHORT, "mine", "groove")
    code, _, errors = backbeat("build", mine, groove, "--library", tmp_path / "library")
    assert code == 0
    # Wherever the lines of a terminal end in the path.
    said = "".join(errors.split())
    assert said.count("warning:") == 1
    assert "groove.yaml is called groove like what ships".replace(" ", "") in said


def test_a_behavior_of_a_setlist_that_takes_such_a_place_says_so(
    backbeat, write, tmp_path
):
    write(SHORT, "groove")
    for name, equipment in {"plain": "[]", "equipped": "[sticks]"}.items():
        (tmp_path / f"{name}.yaml").write_text(
            f"kind: setlist\nname: {name}\nsummary: A short one.\n"
            f"equipment: {equipment}\nbehaviors:\n  - {{behavior: groove.yaml}}\n"
        )
        library = tmp_path / name
        _, _, errors = backbeat("build", f"{library}.yaml", "--library", library)
        said = "groove.yamliscalledgroovelikewhatships" in "".join(errors.split())
        # With sticks it is another behavior, which the show alone has.
        assert said is ("groove" in Library(library).names()) is (name == "plain")


def test_only_what_is_missing_is_built(backbeat, write, tmp_path):
    paths = write(SHORT, "a", "b", "c")
    folder = tmp_path / "library" / "atlas"
    options = ["--library", folder.parent, "--jobs", 1]
    assert backbeat("build", *paths, *options)[0] == 0
    before = {p.name: p.stat().st_mtime_ns for p in folder.iterdir()}
    (folder / "b.parquet").unlink()
    assert backbeat("build", *paths, *options)[0] == 0
    after = {p.name: p.stat().st_mtime_ns for p in folder.iterdir()}
    assert [n for n in before if before[n] != after[n]] == ["b.parquet"]


def test_verbose_shows_every_iteration(backbeat, write, tmp_path):
    paths = write(SHORT, "a")
    options = ["--library", tmp_path, "--verbose", "--json"]
    _, out, errors = backbeat("build", *paths, *options)
    (result,) = json.loads(out)
    pattern = r"a: iteration +(\d+)  cost \S+  violation (\S+)  step \S+  barrier \S+"
    lines = [found for e in errors.splitlines() if (found := re.fullmatch(pattern, e))]
    assert [int(found[1]) for found in lines] == list(range(result["iterations"]))
    assert float(lines[-1][2]) < 1e-6


@pytest.fixture
def building(tmp_path, write):
    """A `backbeat build` of three long ones that has two of them under way."""
    options = ["--library", tmp_path / "library", "--jobs", 2, "--verbose"]
    process = start("build", *write(LONG, "a", "b", "c"), *options)
    begun: set[str] = set()
    while len(begun) < 2:
        line = process.stderr.readline()
        assert line
        begun |= set(re.findall(r"^(\w): iteration", line))
    yield process
    process.kill()
    process.communicate()


def whole(folder):
    """Names of behaviors that load, in a folder that holds nothing else."""
    library = Library(folder)
    assert sorted(p.stem for p in (folder / "atlas").glob("*")) == library.names()
    return [library.load(name).name for name in library.names()]


@pytest.mark.parametrize(
    "by", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)]
)
def test_an_interrupt_leaves_whole_files_and_no_process(building, tmp_path, by):
    # Ctrl-C reaches everything that the terminal has in the foreground.
    (os.killpg if by == signal.SIGINT else os.kill)(building.pid, by)
    _, errors = building.communicate(timeout=PATIENCE)
    assert is_left_alone(building)
    done = whole(tmp_path / "library")
    if by == signal.SIGINT:
        assert building.returncode == 130
        (sentence,) = sentences(errors)
        # A worker may have stored one that it could not tell of any more.
        told = re.search(r"interrupted with (\d) of 3 behaviors done", sentence)
        assert told
        assert len(done) - 2 <= int(told[1]) <= len(done)
        assert "Traceback" not in errors


def test_a_killed_worker_costs_one_behavior_that_the_next_build_makes(
    building, backbeat, tmp_path
):
    os.kill(running(building, b"spawn_main")[0], signal.SIGKILL)
    _, errors = building.communicate(timeout=30 * PATIENCE)
    assert building.returncode == 2
    assert is_left_alone(building)
    (sentence,) = sentences(errors)
    lost = re.match(r"backbeat: (\w): its process was killed", sentence)[1]
    done = whole(tmp_path / "library")
    assert sorted([*done, lost]) == ["a", "b", "c"]
    paths = [tmp_path / f"{name}.yaml" for name in "abc"]
    options = ["--library", tmp_path / "library", "--verbose"]
    code, _, errors = backbeat("build", *paths, *options)
    assert code == 0
    assert {e[0] for e in errors.splitlines() if ": iteration" in e} == {lost}
