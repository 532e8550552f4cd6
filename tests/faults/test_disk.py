"""A full disk, and places where nobody may write: one sentence, nothing lost."""

import pytest

from backbeat.behaviors.library.store import Library
from tests.faults.authored import POSTURE
from tests.processes import sentences, start

SWEEP = """\
behaviors: [stand]
seeds: {seeds}
base: {{duration: 0.1, lead_in: 0.1}}
"""
# Commands, and what they write; `{out}` is a folder, `{library}` has `stand`.
WRITING = {
    "track": "track stand --duration 0.1 -o {out}/run.parquet --library {library}",
    "export CSV": "export stand --output {out}/stand.csv --library {library}",
    "export NPZ": "export stand --npz {out}/stand.npz --library {library}",
    "record": "play stand --record {out}/stand.html --library {library}",
    "report": "report stand --output {out}/stand.html --library {library}",
    "sweep": "sweep {out}/../sweep.yaml -o {out} --jobs 1 --library {library}",
    "build": "build {out}/../mine.yaml --library {out}",
}


@pytest.fixture
def words(built, library_folder, tmp_path):
    """`words(text)` are a command's words, in a folder with what it needs."""
    built("stand")
    out = tmp_path / "out"
    out.mkdir()

    def write(again):
        text = POSTURE.format(summary=f"Take {again}.")
        (tmp_path / "mine.yaml").write_text(text)
        (tmp_path / "sweep.yaml").write_text(SWEEP.format(seeds=1 + again))

    def split(text, again=0):
        write(again)
        return text.format(out=out, library=library_folder).split()

    return split


def contents(folder):
    """Every file with its bytes, but for locks and a sweep's summary.

    A summary says what is known by then, and is written if there is room for it.
    """
    files = (p for p in folder.rglob("*") if p.is_file())
    apart = (".lock", ".json")
    found = {p: p.read_bytes() for p in files if p.suffix not in apart}
    return {p.relative_to(folder): content for p, content in found.items()}


EVERY_DAY = ("track", "export CSV", "build")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=what, marks=[pytest.mark.slow] * (what not in EVERY_DAY))
        for what, text in WRITING.items()
    ],
)
def test_a_file_that_may_not_grow(backbeat, words, small_files, tmp_path, text):
    """A limit on the size of files, as a quota is one: the old file stays."""
    assert backbeat(*words(text))[0] == 0
    before = contents(tmp_path / "out")
    assert before
    called = words(text, again=1)
    with small_files(2000):
        code, _, errors = backbeat(*called)
    assert code == 2
    (sentence,) = sentences(errors)
    assert "cannot write" in sentence
    assert sentence.endswith("File too large.")
    assert contents(tmp_path / "out") == before
    assert backbeat(*called)[0] == 0


def ended(process):
    """Exit code and complaints of a process."""
    _, errors = process.communicate(timeout=120)
    return process.returncode, sentences(errors), errors


@pytest.mark.slow
@pytest.mark.parametrize("what", ["build", "track", "sweep"])
def test_a_full_disk(backbeat, words, on_a_small_disk, tmp_path, what):
    out = tmp_path / "out"
    assert backbeat(*words(WRITING[what]))[0] == 0
    size = sum(len(content) for content in contents(out).values())
    called = words(WRITING[what], again=1)
    # Room for what is there and a part of the next, in pages of 4 kB.
    disk = on_a_small_disk(out, f"{size // 1024 + 10}k")
    code, told, errors = ended(start(*called, before=disk))
    assert code == 2, errors
    assert "cannot write" in told[0]
    assert told[0].endswith("No space left on device.")
    left = contents(tmp_path / "out.after")
    assert left == contents(out)
    assert backbeat(*called)[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("what", ["build", "track", "sweep"])
def test_a_folder_that_may_not_be_written(backbeat, words, forbidden, tmp_path, what):
    called = words(WRITING[what])
    code, told, errors = ended(start(*called, before=forbidden(tmp_path / "out")))
    assert code == 2, errors
    assert told[0].startswith("backbeat: cannot write")
    assert told[0].endswith("Permission denied.")
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.slow
def test_a_library_that_can_only_be_read(words, backbeat, read_only, tmp_path):
    """What only reads works; who writes is told."""
    out = tmp_path / "out"
    assert backbeat(*words(WRITING["build"]))[0] == 0
    before = contents(out)
    disk = read_only(out)
    run = tmp_path / "run.parquet"
    track = ["track", "mine", "--library", out, "--duration", 0.1, "-o", run]
    for called in (["info", "mine", "--library", out], track):
        code, _, errors = ended(start(*called, before=disk))
        assert code == 0, errors
    assert run.is_file()
    again = words(WRITING["build"], again=1)
    code, told, errors = ended(start(*again, before=disk))
    assert code == 2, errors
    assert told[0].endswith("Read-only file system.")
    assert contents(out) == before
    assert Library(out).load("mine").summary == "Take 0."


@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [
        (["list"], ""),
        (["--help"], ""),
        (["--help"], "1"),
        *(
            pytest.param(["list", *j], "1", marks=pytest.mark.slow)
            for j in ([], ["--json"])
        ),
        pytest.param(["list", "--json"], "", marks=pytest.mark.slow),
    ],
)
def test_what_cannot_be_printed_is_a_sentence(words, unbuffered):
    with open("/dev/full", "w") as full:
        process = start(
            *words, stdout=full, environment={"PYTHONUNBUFFERED": unbuffered}
        )
        _, errors = process.communicate()
    assert process.returncode == 2
    assert (
        errors
        == "backbeat: cannot print: No space left on device; send it somewhere else.\n"
    )
