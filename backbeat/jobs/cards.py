"""Making robustness cards and samples of them: sweeps, data, and a page."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, NamedTuple

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.common.verified import load_verified
from backbeat.jobs.sweeping import Progress, run_sweep
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.processes.pool import Outcome
from backbeat.mpc.control.user_code import UserCode
from backbeat.mpc.engines.behavior_engine import why_not_mujoco
from backbeat.mpc.engines.choosing import check_engine
from backbeat.mpc.scenario.parts.world import SHIPPED_ENGINES
from backbeat.mpc.sweep.card.robustness import (
    RobustnessCard,
    card_path,
    make_card,
)
from backbeat.mpc.sweep.card.sample import SEEDS, Sample
from backbeat.mpc.sweep.card.survivals import SurvivedIn, survivals
from backbeat.mpc.sweep.card.sweeps import card_sweeps
from backbeat.mpc.sweep.cells import on_weights
from backbeat.mpc.sweep.table import sources
from backbeat.optimization.terms.user_file import UserFile
from backbeat.report.pages.card import card_page


class CardRuns(NamedTuple):
    """Which runs a card is of.

    Attributes:
        robot: whose behavior it is; "" for the usual one, see `Library`.
        engine: in which alone it is run; "" for both.
        controller: takes the place of our controllers; its card has a folder of its
            own beside ours. None for ours.
        weights: of our controllers where they are not those that ship, by section and
            key; their card has a folder of its own too.
        weights_name: what they are called; "" for those that ship.
        terms: of the user's own, which our controllers have besides; None for none.
    """

    robot: str = ""
    engine: str = ""
    controller: UserCode | None = None
    weights: Mapping[str, Any] = {}
    weights_name: str = ""
    terms: UserFile | None = None

    @property
    def controlled_by(self) -> str:
        """What controls the robot, in words; "" for our controllers as they ship."""
        more = [f"weights {self.weights_name}"] if self.weights_name else []
        more += [f"the terms of {self.terms.file.name}"] if self.terms else []
        own = str(self.controller or ("our controllers" if more else ""))
        return f"{own} with {' and '.join(more)}" if more else own

    @property
    def folder(self) -> str:
        """Folder of their cards beside ours; "" for none."""
        own = self.controller
        parts = [f"{own.file.stem}-{own.name}"] if own else []
        parts += [f"weights-{self.weights_name}"] if self.weights_name else []
        parts += [f"terms-{self.terms.file.stem}"] if self.terms else []
        return "-".join(parts)


def build_card(
    name: str,
    library: str | Path,
    seeds: int | None = None,
    progress: Progress | None = None,
    processes: int | None = None,
    executors: Sequence[Executor] = (),
    runs: CardRuns | None = None,
) -> tuple[RobustnessCard, list[Outcome]]:
    """Makes the runs of a card that are missing, its data and its page.

    All of it is in the folder `cards` beside the behavior; a card that was interrupted
    goes on where it was.

    Args:
        name: behavior in the library.
        library: its folder.
        seeds: seeds a cell; None for as many as a whole card has.
        progress: called whenever a run has ended.
        processes: how many runs at a time; None for one a core.
        executors: where to run instead, see `backbeat.jobs.cluster`.
        runs: of which robot, engine and controller; None for the usual ones.

    Returns:
        The card, and runs that could not be had.

    Raises:
        BackbeatError: no such behavior, it failed verification, nothing can follow it,
            or there is no such engine.
    """
    runs = runs or CardRuns()
    behavior = load_verified(library, name, robot=runs.robot)
    path = stored_card(name, library, runs)
    engines, missing = _engines(behavior, runs.engine)
    disturbances, pushes = (
        run_sweep(
            on_weights(sweep, runs.weights),
            library,
            path.parent,
            progress,
            processes,
            executors,
            runs.controller,
            runs.terms,
        )
        for sweep in card_sweeps(behavior, seeds, engines)
    )
    found = disturbances.summary, pushes.summary
    card = make_card(behavior, *found, sources(), missing, runs.controlled_by)
    for file_path, text in (
        (path, card.to_text()),
        (path.with_suffix(".html"), card_page(card, behavior)),
    ):
        with replacing(file_path) as file:
            file.write(text.encode())
    return card, [*disturbances.failures, *pushes.failures]


def take_sample(
    name: str,
    library: str | Path,
    seeds: int | None = None,
    progress: Progress | None = None,
    processes: int | None = None,
    executors: Sequence[Executor] = (),
    runs: CardRuns | None = None,
) -> tuple[Sample, list[Outcome]]:
    """Makes a few runs of the standard disturbances, which a card then takes over.

    Args:
        name, library, progress, processes, executors, runs: as for `build_card`.
        seeds: seeds a disturbance; None for as many as a sample has.

    Returns:
        The sample, and runs that could not be had.

    Raises:
        BackbeatError: as `build_card`.
    """
    runs = runs or CardRuns()
    behavior = load_verified(library, name, robot=runs.robot)
    engines, missing = _engines(behavior, runs.engine)
    sweep, _ = card_sweeps(behavior, seeds or SEEDS, engines)
    folder = stored_card(name, library, runs).parent
    sweep, own = on_weights(sweep, runs.weights), (runs.controller, runs.terms)
    found = run_sweep(sweep, library, folder, progress, processes, executors, *own)
    taken = tuple(
        SurvivedIn(engine, survivals(behavior, found.summary, engine))
        for engine in engines
    )
    of = behavior.robot_model.name
    sample = Sample(behavior.name, taken, of, missing, runs.controlled_by)
    return sample, list(found.failures)


def stored_card(name: str, library: str | Path, runs: CardRuns) -> Path:
    """Where a card is stored; with the user's controller or weights, beside ours."""
    path = card_path(Library(library).path(name, runs.robot))
    return path.parent / runs.folder / path.name


def _engines(behavior: Behavior, only: str) -> tuple[Sequence[str], str]:
    """The engines that a behavior is run in, and why one of ours is not among them."""
    if only:
        check_engine(only)
        return (only,), f"no other was asked for, --engine {only}"
    missing = why_not_mujoco(behavior)
    return ("drake",) if missing else SHIPPED_ENGINES, missing
