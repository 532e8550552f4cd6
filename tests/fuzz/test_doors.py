"""Every reader of a file meets what is too much, too long, or no file at all.

Each ends in one sentence or is read, within some processor time and memory, and
without a process that waits.
"""

import faulthandler
import os
import time
from collections import defaultdict

import pytest

from tests.fuzz import in_child
from tests.fuzz.doors import DOORS, NAMES, NO_FILES, inputs
from tests.fuzz.reader import LONGEST, MOST_MEMORY, PATIENCE, REFUSALS, _peak

INPUTS = defaultdict(list)
for _door, _what, _data in inputs():
    INPUTS[_door].append((_what, _data))


def meet(door, path):
    """How reading a file ends; asserts what has to be true of every end."""
    memory, started, began = _peak(), time.process_time(), time.monotonic()
    faulthandler.dump_traceback_later(120.0, exit=True)
    try:
        DOORS[door](path)
        outcome = "read"
    except REFUSALS as refusal:
        sentence = str(refusal)
        assert sentence
        assert "\n" not in sentence
        assert sentence.isprintable()
        assert len(sentence) <= LONGEST
        sentence.encode()
        outcome = "refused"
    finally:
        faulthandler.cancel_dump_traceback_later()
    assert time.process_time() - started < PATIENCE
    assert time.monotonic() - began < 60.0
    assert _peak() - memory < 2 * MOST_MEMORY
    return outcome


def place(door, folder):
    path = folder / door
    path.parent.mkdir(exist_ok=True)
    return path


@pytest.mark.parametrize("door", DOORS)
def test_what_is_no_file_is_refused_at_once(door, tmp_path):
    path = place(door, tmp_path)
    for what, make in NO_FILES.items():
        make(path)
        began = time.monotonic()
        try:
            outcome = meet(door, path)
        except BaseException as error:
            error.add_note(f"it is {what}")
            raise
        assert outcome == "refused", what
        assert time.monotonic() - began < 5.0
        path.rmdir() if what == "a folder" else path.unlink()


# The others are found in their folders, whatever they are called.
NAMED = [
    door
    for door in DOORS
    if not door.startswith(("moves/", "sweep/", "import/")) and door != "package.xml"
]


@pytest.mark.parametrize("door", NAMED)
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_that_no_file_has_end_in_a_sentence(door, name, tmp_path):
    path = place(door, tmp_path).parent / f"{name}{os.path.splitext(door)[1]}"
    assert meet(door, path) == "refused"


def feed(door, rows, folder):
    """Reads each in a child; what it took, by what it is."""
    path, costs = place(door, folder), {}
    before = set(folder.rglob("*")) | {path}
    for what, data in rows:
        path.write_bytes(data() if callable(data) else data)
        try:
            costs[what] = in_child.meet(DOORS[door], path)
        except BaseException as error:
            error.add_note(f"the input is {what!r}")
            raise
        # Nothing half-written is left.
        assert set(folder.rglob("*")) == before, what
    return costs


# Of each reader a few every day, and all of them where there is time.
@pytest.mark.parametrize("door", INPUTS)
def test_some_of_what_is_too_much(door, tmp_path):
    feed(door, INPUTS[door][:: 1 + len(INPUTS[door]) // 3], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("door", INPUTS)
def test_what_is_too_much_is_refused_or_read(door, tmp_path):
    costs = feed(door, INPUTS[door], tmp_path)
    assert "refused" in {cost.outcome for cost in costs.values()}
    for k, unit in ((1, "s of processor"), (2, "MB")):
        what = max(costs, key=lambda name: costs[name][k])
        print(f"{door}: at most {costs[what][k]:.1f} {unit}: {what}")


def test_there_are_many_of_them():
    assert sum(map(len, INPUTS.values())) > 800
    assert len(DOORS) * len(NO_FILES) > 200
