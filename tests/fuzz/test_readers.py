"""Whatever comes from outside is read or refused in one sentence, in bounded time.

`make fuzz MINUTES=10 READER=MIDI` feeds one reader for ten minutes, and without
`READER` one after the other. An input that breaks it is kept in the folder that the
failure names; once fixed, it goes to `findings`.
"""

import hashlib
import itertools
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.reader import Reader, feed
from tests.fuzz.readers import READERS

MINUTES = float(os.environ.get("BACKBEAT_FUZZ_MINUTES", 0))
ONLY = os.environ.get("BACKBEAT_FUZZ_READER", "")
CHOSEN = {name: r for name, r in READERS.items() if ONLY in ("", name)}
KEPT = Path(os.environ.get("BACKBEAT_FUZZ_FOLDER", "out/fuzz"))
FINDINGS = Path(__file__).parent / "findings"
# Inputs from one seed.
ROUND = 200
# One in so many of a reader's inputs is fed every day, but no fewer than these.
EVERYDAY, FEWEST = 12, 6
COMMON = settings(
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


def folder_name(reader: Reader) -> str:
    return reader.name.replace(" ", "-").replace("'", "")


def feed_same(reader: Reader, count: int, examine: Callable[[bytes], None]) -> None:
    """The same inputs every time."""
    once = settings(COMMON, derandomize=True, max_examples=count)
    once(given(reader.inputs)(examine))()


def feed_for(minutes: float, reader: Reader, examine: Callable[[bytes], None]) -> None:
    """Other inputs every time, for some minutes of the processor.

    On a busy machine, and where a reader waits for others, that takes longer; but not
    more than three times as long.
    """
    first, used, began = time.time_ns(), time.process_time(), time.monotonic()

    def is_over() -> bool:
        worked, passed = time.process_time() - used, time.monotonic() - began
        return worked > 60 * minutes or passed > 180 * minutes

    def examine_in_time(data: bytes) -> None:
        if not is_over():
            examine(data)

    for number in itertools.count(first):
        once = settings(COMMON, max_examples=ROUND)
        seed(number)(once(given(reader.inputs)(examine_in_time)))()
        if is_over():
            return


# Inputs as long as files are no harm.
@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@pytest.mark.parametrize("reader", CHOSEN.values(), ids=CHOSEN)
@pytest.mark.parametrize(
    "share", [EVERYDAY, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_anything_is_read_or_refused_in_one_sentence(reader, share, tmp_path):
    path = reader.place(tmp_path)
    path.parent.mkdir(exist_ok=True)
    outcomes, last = Counter(), [b""]

    def examine(data: bytes) -> None:
        last[0] = data
        outcomes[feed(reader, data, path)] += 1

    try:
        if MINUTES:
            feed_for(MINUTES, reader, examine)
        else:
            feed_same(reader, max(reader.count // share, FEWEST), examine)
    except BaseException as error:
        # The last input that was tried is the smallest one that breaks it.
        name = hashlib.sha256(last[0]).hexdigest()[:12]
        KEPT.mkdir(parents=True, exist_ok=True)
        kept = KEPT / f"{folder_name(reader)}-{name}"
        kept.write_bytes(last[0])
        error.add_note(f"the input is kept in {kept}")
        raise
    print(f"{reader.name}: {dict(outcomes)}")
    if share == 1 and not MINUTES:
        # Nothing but refusals would say that the inputs miss what they are for.
        assert outcomes["refused"] or reader.never_refuses
        assert outcomes["read"] or reader.always_refuses


@pytest.mark.skipif(MINUTES > 0, reason="in the everyday suite")
@pytest.mark.parametrize("reader", CHOSEN.values(), ids=CHOSEN)
def test_what_somebody_thought_of(reader, tmp_path):
    """Bombs, depths, lengths, and files of other kinds."""
    path = reader.place(tmp_path)
    path.parent.mkdir(exist_ok=True)
    for name, data in reader.hostile.items():
        try:
            feed(reader, data, path)
        except BaseException as error:
            error.add_note(f"the input is {name!r}")
            raise


@pytest.mark.skipif(MINUTES > 0, reason="in the everyday suite")
@pytest.mark.parametrize("reader", CHOSEN.values(), ids=CHOSEN)
def test_what_was_found_stays_mended(reader, tmp_path):
    path = reader.place(tmp_path)
    path.parent.mkdir(exist_ok=True)
    for found in sorted((FINDINGS / folder_name(reader)).glob("*")):
        try:
            feed(reader, found.read_bytes(), path)
        except BaseException as error:
            error.add_note(f"the input is {found}")
            raise


def test_every_finding_has_a_reader():
    assert CHOSEN, f"no reader is called {ONLY!r}; there are {', '.join(READERS)}"
    known = {folder_name(reader) for reader in READERS.values()}
    assert {path.name for path in FINDINGS.iterdir()} <= known
