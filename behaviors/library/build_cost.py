"""What a build costs: processor time, of all of it and of its optimization."""

import os
import time

from backbeat.behaviors.library.behavior import Progress

# What builds report while the optimizer works.
SOLVING = "solving"


def processor_time() -> float:
    """Processor time of this process and of those it has waited for [s]."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


class BuildCost:
    """Watches the progress of a build, and adds up its processor time by stage."""

    def __init__(self, progress: Progress) -> None:
        """Starts the watch.

        Args:
            progress: called with all that is reported.
        """
        self._progress = progress
        self._stage, self._since = "", processor_time()
        self._whole = self._solving = 0.0

    def report(self, share: float, what: str) -> None:
        """The build goes on with `what`; counts the stage before and passes this on."""
        self._count()
        self._stage = what
        self._progress(share, what)

    def provenance(self) -> dict[str, object]:
        """Processor seconds so far: `build_cpu_s`, and `solve_cpu_s` of the optimizer.

        What was taken from stored windows of an earlier build is not in them.
        """
        self._count()
        return {"build_cpu_s": self._whole, "solve_cpu_s": self._solving}

    def _count(self) -> None:
        now = processor_time()
        self._whole += now - self._since
        if self._stage.startswith(SOLVING):
            self._solving += now - self._since
        self._since = now
