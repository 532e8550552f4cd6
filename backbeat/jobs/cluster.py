"""Jobs on a cluster: a Dask scheduler as executors for `run_jobs`.

Any client of a scheduler may run code on its workers, and a worker's answer is
unpickled here: a scheduler is trusted as one's own account is.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import cache
from typing import Any

from backbeat.behaviors.building.build_key import ROOT, source_hash
from backbeat.models.common.errors import BackbeatError

# How long a scheduler may take to answer [s].
PATIENCE = 10.0
# Jobs for every thread of a worker: one that runs, and one that waits beside it.
AHEAD = 2


@contextmanager
def cluster_executors(address: str | None) -> Iterator[list[Executor]]:
    """Executors of a scheduler; none for an address of None.

    Args:
        address: as Dask prints it, tcp://HOST:PORT.

    Raises:
        BackbeatError: Dask is missing, there is no answer, or there are no workers.
    """
    if address is None:
        yield []
        return
    client = _connect(address)
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise BackbeatError(
                f"the scheduler at {address} has no workers; start some with "
                f"'dask worker {address} --nthreads 1'"
            )
        yield [ClusterExecutor(client, address)] * (AHEAD * threads)
    finally:
        client.close(timeout=1.0)


def _connect(address: str) -> Any:
    try:
        import distributed
    except ImportError:
        raise BackbeatError(
            "a cluster needs Dask, which is not installed: pip install 'distributed', "
            "here and where the workers are"
        ) from None
    client: Any = distributed.Client
    try:
        return client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise BackbeatError(
            f"no scheduler answers at {address} ({type(error).__name__}); 'dask "
            "scheduler --host 127.0.0.1' starts one and prints its address"
        ) from None


class ClusterExecutor(Executor):
    """Runs what it is given on any worker of a scheduler.

    A job of a worker that dies goes to another one; Dask gives up after the third.
    """

    def __init__(self, client: Any, address: str) -> None:
        """Runs on a client's scheduler."""
        self._client, self._address = client, address
        # Dask cancels futures without a reference.
        self._open: set[Any] = set()

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **named: Any
    ) -> Future[Any]:
        """Runs `function(*arguments, **named)` on a worker.

        Raises:
            BackbeatError: the scheduler is gone.
        """
        if self._client.status != "running":
            raise self._gone()
        found: Future[Any] = Future()
        found.set_running_or_notify_cancel()
        # Nothing of Dask's may call the result of one job that of another.
        remote = self._client.submit(
            _call_there, _sources(), function, arguments, named, pure=False
        )
        self._open.add(remote)
        remote.add_done_callback(lambda future: self._hand_over(future, found))
        return found

    def _hand_over(self, remote: Any, found: Future[Any]) -> None:
        """Sets the result of a job's future."""
        if remote.status == "finished":
            try:
                found.set_result(remote.result(timeout=PATIENCE))
            except Exception as error:
                found.set_exception(error)
        elif remote.status == "error":
            found.set_exception(_told(remote.exception(timeout=PATIENCE)))
        else:
            found.set_exception(self._gone())
        self._open.discard(remote)

    def _gone(self) -> BackbeatError:
        return BackbeatError(
            f"the scheduler at {self._address} is gone; what has ended is kept, and "
            "the same command makes the rest"
        )


@cache
def _sources() -> str:
    """Hash of the sources as this process has them."""
    folders = (path for path in ROOT.iterdir() if path.is_dir())
    return source_hash(sorted(path.name for path in folders))


def _told(error: Exception) -> Exception:
    """An error of a job as a user may read it."""
    from distributed.scheduler import KilledWorker

    if isinstance(error, KilledWorker):
        return BackbeatError(
            "every worker that tried it was killed, perhaps because memory ran out"
        )
    return error


def _call_there(
    sources: str,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    named: dict[str, Any],
) -> Any:
    """The call of a job, on a worker.

    Raises:
        BackbeatError: the worker has other sources than the client.
    """
    if _sources() != sources:
        raise BackbeatError(
            "a worker has another version of Backbeat than this machine; install the "
            "same on all of them, and start the workers again"
        )
    return function(*arguments, **named)
