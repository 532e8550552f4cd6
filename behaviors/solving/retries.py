"""Retries: other plans of a piece for which no motion was found, for a limited time."""

import time
from collections.abc import Sequence

from backbeat.behaviors.library.build_cost import SOLVING
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.music.notation.score import counted
from backbeat.models.common.errors import NoMotionError
from backbeat.optimization.interior_point.solution import Violation


class SearchTimeError(NoMotionError):
    """No motion was found within the time that a search may take."""


class Retries:
    """Counts the plans that are tried, and ends the search when its time is over.

    Attributes:
        name: of the motion.
        count: plans that were tried, the present one among them.
    """

    def __init__(self, name: str, keeps_windows: bool = False) -> None:
        """Starts the clock of the search for a motion of this name.

        Args:
            name: of the motion.
            keeps_windows: whether windows that are solved are stored.
        """
        self.name, self._keeps_windows = name, keeps_windows
        self._started = time.perf_counter()
        self.count = 1

    def next(
        self, plan: MotionPlan, violations: Sequence[Violation]
    ) -> MotionPlan | None:
        """The plan to try next; None where there is no other.

        Args:
            plan: for which no motion was found.
            violations: what prevented one.

        Raises:
            SearchTimeError: the time of the search is over.
        """
        if plan.fallback_plan is None:
            return None
        spent = time.perf_counter() - self._started
        if spent > plan.search_time:
            raise SearchTimeError(self._refusal(plan, violations, spent))
        self.count += 1
        return plan.fallback_plan(violations)

    def stage(self, plan: MotionPlan) -> str:
        """What a build reports while it solves a plan."""
        if self.count == 1:
            return SOLVING
        hints, changes = plan.hints, []
        if hints.dropped:
            changes.append(f"{counted(len(hints.dropped))} left out")
        if hints.prices:
            changes.append(f"other hands about {counted(len(hints.prices))}")
        if hints.finer:
            places = len(frozenset().union(*hints.finer))
            changes.append(f"closer knots at {places} places")
        return f"{SOLVING}, try {self.count}: {', '.join(changes)}"

    def _refusal(
        self, plan: MotionPlan, violations: Sequence[Violation], spent: float
    ) -> str:
        """What was tried, and what the last try failed at."""
        worst = max(violations, key=lambda v: v.amount, default=None)
        why = ""
        if worst is not None:
            place = plan.place(worst.time)
            why = f"; the last failed at {worst.name} at {worst.time:.2f} s ({place})"
        more = "with more of it the search begins anew"
        if self._keeps_windows:
            more = (
                "with more of it the search goes on from the windows that are solved, "
                "which are kept"
            )
        return (
            f"{self.name}: no motion found in {spent:.0f} s, tries: {self.count}{why}; "
            f"search_time is {plan.search_time:g} s; {more}"
        )
