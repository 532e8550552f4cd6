"""SetlistBuild: the show of a setlist at every save of its file.

Behaviors, transitions and certificates that an earlier version had are used again.
"""

import time
from dataclasses import replace
from pathlib import Path

from backbeat.behaviors.building.build import Reports, build, join_setlist
from backbeat.behaviors.building.build_key import build_key
from backbeat.behaviors.building.incremental_build import (
    INCREMENTAL,
    Draft,
    IncrementalBuild,
    UpdatedBehavior,
)
from backbeat.behaviors.library.behavior import Behavior, Progress
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.setlist.memory import ShowMemory
from backbeat.behaviors.setlist.specification import SetlistSpecification
from backbeat.behaviors.specification.checking import on_its_line, refuse_setlist
from backbeat.behaviors.specification.kinds import read_any
from backbeat.models.common.errors import BackbeatError


class SetlistBuild(IncrementalBuild):
    """Keeps a show up to date with its setlist.

    Attributes:
        memory: of all its versions, with the state of the present one.
    """

    def __init__(self, path: str | Path, library: Library) -> None:
        """Takes a file that need not be there yet, see `IncrementalBuild`."""
        super().__init__(Path(path), library)
        self.memory = ShowMemory()

    def read(self) -> Draft:
        """As of `IncrementalBuild`; a setlist poses no problem of its own."""
        _, text = self._setlist()
        refuse_setlist(text, self.path)
        return Draft(text, None, None)

    def perform(self, draft: Draft, progress: Progress) -> UpdatedBehavior:
        """As of `IncrementalBuild`."""
        setlist, text = self._setlist()
        memory = self.memory
        memory.begin(text)
        key = build_key(setlist, text, self.path.parent)
        if self._library.key(setlist.name, setlist.robot) == key:
            show = build(self.path, self._library, progress=progress)
        else:
            show = self._joined(setlist, text, progress)
        memory.finish(show)
        return UpdatedBehavior(show, 0.0, show.duration)

    def _joined(
        self, setlist: SetlistSpecification, text: str, progress: Progress
    ) -> Behavior:
        started, reports = time.perf_counter(), Reports(progress, lambda entry: None)
        folder, memory = self.path.parent, self.memory
        try:
            show = join_setlist(setlist, text, folder, self._library, reports, memory)
        except BackbeatError as error:
            raise on_its_line(error, text, self.path) from None
        made = {"key": INCREMENTAL, "seconds": time.perf_counter() - started}
        return replace(show, provenance={**show.provenance, **made})

    def _setlist(self) -> tuple[SetlistSpecification, str]:
        setlist, text = read_any(self.path)
        if not isinstance(setlist, SetlistSpecification):
            raise BackbeatError(
                f"{self.path} is a {setlist.kind} now and was a setlist; open it anew "
                f"with backbeat author {self.path}"
            )
        return setlist, text
