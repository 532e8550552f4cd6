"""Incremental build: the motion of a specification at every save of its file.

The process keeps the last motion. Where a save changes numbers, only
the stretch about what changed is found and verified anew; else the behavior is built
as a whole.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

from backbeat.behaviors.building.build import build
from backbeat.behaviors.building.build_key import robot_and_sources
from backbeat.behaviors.dance.vocabulary.move_file import OWN
from backbeat.behaviors.kinematic.preview import GuessPreview, KinematicPreview
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.solving.local_solver import (
    LocalSolver,
    Progress,
    Solved,
    find_motion,
)
from backbeat.behaviors.solving.solved_behavior import assembled, describe
from backbeat.behaviors.solving.window_steps import Source
from backbeat.behaviors.solving.windowed import WindowedSolver
from backbeat.behaviors.specification.checking import refuse_failures
from backbeat.behaviors.specification.kinds import find_specification, read_any
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_file
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.windows.patch import changed_knots

# Key of what was solved in part: the motion that a build finds from the file alone is
# another one, if not by much.
INCREMENTAL = "incremental"


@dataclass(frozen=True)
class Draft:
    """A specification as it was saved.

    Attributes:
        text: what the file holds.
        specification: what it says; None of a setlist, which has no plan of its own.
        plan: the problem that it poses.
    """

    text: str
    specification: Specification | None
    plan: MotionPlan | None

    @property
    def can_be_solved_locally(self) -> bool:
        """Whether its motion can be found in parts."""
        plan = self.plan
        return plan is not None and not plan.free_phases and plan.fallback_plan is None

    @cached_property
    def transcription(self) -> Transcription:
        """The problem of the plan, which it has to have."""
        assert self.plan is not None
        return Transcription(self.plan.problem)

    def preview(self) -> KinematicPreview | GuessPreview | None:
        """What can be seen before anything is solved, if anything can."""
        if self.plan is None or self.specification is None:
            return None
        problem = self.plan.problem
        if self.specification.tasks_lead:
            return KinematicPreview(self.transcription)
        return None if problem.guess is None else GuessPreview(problem)


@dataclass(frozen=True)
class UpdatedBehavior:
    """The result of a save.

    Attributes:
        behavior: the verified motion.
        start, end: the time in which it changed [s].
        knots: how many knots were found anew; None for all.
        pieces: how many pieces of some seconds were verified anew; None for all.
    """

    behavior: Behavior
    start: float
    end: float
    knots: int | None = None
    pieces: int | None = None


class IncrementalBuild:
    """Keeps a behavior up to date with its file.

    Attributes:
        path: the file.
    """

    def __init__(self, name: str | Path, library: Library, processes: int = 1) -> None:
        """Finds the file; nothing is read yet.

        Args:
            name: shipped name or path of a specification.
            library: where behaviors are stored.
            processes: how many windows of a long motion are solved at a time.

        Raises:
            BackbeatError: there is no such file.
        """
        self.path = find_specification(name)
        self._library, self._processes = library, processes
        self._local_solver = LocalSolver()
        # The last draft that came to something, and its motion once that is at hand.
        self._good: Draft | None = None
        self._solved: Solved | None = None

    def files(self) -> list[Path]:
        """The file and those that it names, as far as it can be read."""
        folder = self.path.parent
        found = [self.path, folder / OWN]
        try:
            specification, _ = read_any(self.path)
        except BackbeatError:
            return found
        if isinstance(specification, Specification):
            return [*found, *specification.sources(folder)]
        beside = [folder / n.behavior for n in specification.behaviors]
        return [*found, *(p for p in beside if is_file(p))]

    def read(self) -> Draft:
        """Reads the file and lays out its problem.

        Raises:
            BackbeatError: the file is not valid: file, line and why.
        """
        folder = self.path.parent
        specification, text = read_any(self.path)
        if not isinstance(specification, Specification):
            return Draft(text, None, None)
        refuse_failures(specification, text, self.path)
        before = None if self._good is None else self._good.plan
        try:
            if before is None:
                plan = specification.plan(folder)
            else:
                plan = specification.plan_near(folder, before)
            return Draft(text, specification, plan)
        except BackbeatError as error:
            raise self._located(error, text) from None

    def changed(self, draft: Draft) -> tuple[float, float] | None:
        """Start and end of the difference between a draft and the last one [s].

        None where that cannot be said, and all may be another.
        """
        if self._solved is None or not draft.can_be_solved_locally:
            return None
        knots = changed_knots(self._solved.transcription, draft.transcription)
        if knots is None or len(knots) == 0:
            return None
        times = draft.transcription.problem.times[knots]
        return float(times[0]), float(times[-1])

    def perform(self, draft: Draft, progress: Progress) -> UpdatedBehavior:
        """Finds the motion of a draft and verifies it.

        Args:
            draft: what was read last.
            progress: called as the work goes on; what it raises ends the work. Whatever
                happens, the last motion remains and nothing is half done.

        Raises:
            BackbeatError: there is no such motion, or it fails verification.
        """
        try:
            found = self._solved_locally(draft, progress)
            if found is None:
                found = self._built(progress)
                self._good, self._solved = self._as_built(draft), None
        except BackbeatError as error:
            raise self._located(error, draft.text) from None
        return found

    def prepare(self, progress: Progress) -> None:
        """Gets ready for the next save after a build as a whole.

        The motion's knots are found again, or taken from where the build keeps them,
        and it is verified in pieces that later motions may share.
        """
        draft = self._good
        if self._solved is not None or draft is None or not draft.can_be_solved_locally:
            return
        assert draft.specification is not None
        assert draft.plan is not None
        robot = robot_and_sources(draft.specification.robot)
        source = Source(draft.specification, self.path.parent, robot)
        windowed_solver = WindowedSolver(
            self._library.folder / ".windows", self._processes
        )
        found = find_motion(source, draft.plan, windowed_solver, progress)
        solved = Solved(draft.transcription, found)
        self._local_solver.learn(solved, progress)
        self._solved = solved

    def store(self, behavior: Behavior) -> None:
        """Keeps a behavior in the library, where a build has not put it already."""
        if behavior.provenance["key"] == INCREMENTAL:
            self._library.save(behavior)

    def _built(self, progress: Progress) -> UpdatedBehavior:
        library, processes = self._library, self._processes
        behavior = build(self.path, library, progress=progress, processes=processes)
        return UpdatedBehavior(behavior, 0.0, behavior.duration)

    def _as_built(self, draft: Draft) -> Draft:
        """A draft with the plan of its files alone, as a build and its workers have."""
        specification = draft.specification
        if specification is None or draft.plan is None or not draft.plan.recorded:
            return draft
        return replace(draft, plan=specification.plan(self.path.parent))

    def _solved_locally(
        self, draft: Draft, progress: Progress
    ) -> UpdatedBehavior | None:
        """The last motion, solved anew where it changed; None where that cannot be."""
        specification, plan = draft.specification, draft.plan
        if specification is None or plan is None or not draft.can_be_solved_locally:
            return None
        self.prepare(progress)
        if self._solved is None:
            return None
        found = self._local_solver.solve(
            self._solved, draft.transcription, plan.place, progress
        )
        if found is None:
            return None
        about = describe(specification, plan, draft.text)
        behavior = assembled(specification.name, plan, found.solved.found, about)
        seconds = found.solved.found.seconds
        made = {**behavior.provenance, "key": INCREMENTAL, "seconds": seconds}
        self._good, self._solved = draft, found.solved
        return UpdatedBehavior(
            replace(behavior, provenance=made),
            found.start,
            found.end,
            found.knots,
            found.pieces,
        )

    def _located(self, error: BackbeatError, text: str) -> BackbeatError:
        """An error with its file, and the first line that was good and is changed."""
        if error.file == self.path:
            return error
        old = "" if self._good is None else self._good.text
        pairs = zip_longest(text.splitlines(), old.splitlines())
        lines = [i for i, (new, before) in enumerate(pairs, 1) if new != before]
        where = f":{lines[0]}" if old and lines else ""
        return BackbeatError(f"{self.path}{where}: {error}", file=self.path)
