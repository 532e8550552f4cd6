"""Reader: something that reads data from outside, and what is fed to it."""

import faulthandler
import resource
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis.strategies import SearchStrategy

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.processes.frames import ProtocolError
from backbeat.stage.web.guard import RefusedError

# How a reader refuses what it is given.
REFUSALS = (BackbeatError, ProtocolError, RefusedError)
# Letters of the longest sentence; some name every choice there is.
LONGEST = 1500
# What one input may take: processor time [s], and memory beyond the most so far [MB].
PATIENCE, MOST_MEMORY = 10.0, 500.0
# When a reader that hangs is given up, with all of pytest [s]; `hang.txt` beside its
# file says where it was.
HANG = 300.0


@dataclass(frozen=True)
class Reader:
    """A reader of data from outside.

    Attributes:
        name: of what it reads.
        read: reads a file; raises one of `REFUSALS` where it refuses it, and asserts
            what has to be true of everything that it does not.
        inputs: contents of files.
        file: name of the file that it is given.
        hostile: contents that somebody thought of, by name.
        count: how many inputs it gets in `make verify`; a third of them every day.
        beside: files that are there too, by name.
        always_refuses: whether nothing of `inputs` can be read.
        never_refuses: whether it takes whatever comes.
    """

    name: str
    read: Callable[[Path], object]
    inputs: SearchStrategy[bytes]
    file: str
    hostile: Mapping[str, bytes]
    count: int = 60
    beside: Mapping[str, Path] = field(default_factory=dict)
    always_refuses: bool = False
    never_refuses: bool = False

    def place(self, folder: Path) -> Path:
        """The path of its file in a folder, with what has to be beside it."""
        for name, source in self.beside.items():
            if not (folder / name).exists():
                (folder / name).symlink_to(source)
        return folder / self.file


def feed(reader: Reader, data: bytes, path: Path) -> str:
    """How reading some data ends: "read", or "refused" in one sentence."""
    path.write_bytes(data)
    memory, started = _peak(), time.process_time()
    said = path.with_name("hang.txt").open("w")
    faulthandler.dump_traceback_later(HANG, exit=True, file=said)
    try:
        reader.read(path)
        outcome = "read"
    except REFUSALS as refusal:
        sentence = str(refusal)
        assert sentence
        assert "\n" not in sentence
        assert len(sentence) <= LONGEST
        outcome = "refused"
    finally:
        faulthandler.cancel_dump_traceback_later()
        said.close()
    assert time.process_time() - started < PATIENCE
    assert _peak() - memory < MOST_MEMORY
    return outcome


def _peak() -> float:
    """The most memory that this process has had so far [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
