"""RunLog: samples and plans of a loop in progress, of any length.

Samples and plans of a long show would fill the memory, and are not
needed before the show is over. They are moved to temporary files every second; those of
a short run are small, and stay in memory.
"""

import itertools
import tempfile
import weakref
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from pydrake.systems.framework import Context
from pydrake.systems.primitives import VectorLogSink

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.predictive.plan_message import pack, unpack

# Files are in memory up to this size [bytes].
IN_MEMORY = 2**20
# Samples are moved once a second, at 50 plans a second.
EVERY = 50


class RunLog:
    """Samples of log sinks, and plans, in the order in which they were made.

    Attributes:
        latest: the last two plans, as far as there are any.
    """

    def __init__(self, sinks: Mapping[str, VectorLogSink]) -> None:
        """Makes an empty log of what the sinks of a diagram write."""
        self._sinks = dict(sinks)
        self._files = {name: _file() for name in sinks}
        self._plans, self._ends = _file(), array("Q", [0])
        self.latest: tuple[Plan, ...] = ()
        files = [*self._files.values(), self._plans]
        # A log that is not closed explicitly is closed with its object.
        self._close = weakref.finalize(self, _close, files)

    def close(self) -> None:
        """Forgets everything."""
        self._close()

    @property
    def num_plans(self) -> int:
        """How many plans there are."""
        return len(self._ends) - 1

    def add(self, plan: Plan, context: Context) -> None:
        """Notes a plan, and moves samples in the root Context where it is time to.

        Raises:
            BackbeatError: there is no room for temporary files.
        """
        message, self.latest = pack(plan), (*self.latest[-1:], plan)
        with _room():
            self._plans.write(message)
            self._ends.append(self._ends[-1] + len(message))
            if self.num_plans % EVERY == 0:
                for name in self._sinks:
                    self._move(name, context)

    def _move(self, name: str, context: Context) -> None:
        log = self._sinks[name].FindMutableLog(context)
        rows = np.vstack([log.sample_times(), log.data()]).T
        self._files[name].write(rows.tobytes())
        log.Clear()

    def samples(self, name: str, context: Context) -> tuple[np.ndarray, np.ndarray]:
        """(M,) times since the simulation began [s] and (M, size) samples of a sink.

        Raises:
            BackbeatError: there is no room for temporary files.
        """
        with _room():
            self._move(name, context)
        file, width = self._files[name], 1 + self._sinks[name].get_input_port().size()
        file.seek(0)
        rows = np.frombuffer(file.read()).reshape(-1, width)
        return rows[:, 0].copy(), rows[:, 1:].copy()

    def plans(self) -> tuple[Plan, ...]:
        """All plans."""
        return tuple(self._read(self._ends))

    def _read(self, ends: Sequence[int]) -> Iterator[Plan]:
        self._plans.seek(0)
        for start, end in itertools.pairwise(ends):
            yield unpack(self._plans.read(end - start))


@contextmanager
def _room() -> Iterator[None]:
    """Says where there is no room."""
    try:
        yield
    except OSError as error:
        raise BackbeatError(
            f"what this run notes does not fit into {tempfile.gettempdir()} "
            f"({error.strerror}); free some room, or name another folder in TMPDIR"
        ) from error


def _close(files: "Sequence[tempfile.SpooledTemporaryFile[bytes]]") -> None:
    for file in files:
        file.close()


def _file() -> "tempfile.SpooledTemporaryFile[bytes]":
    return tempfile.SpooledTemporaryFile(IN_MEMORY)
