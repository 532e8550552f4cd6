"""ModelMismatch: differences of the simulated world from the model.

They are the disturbances whose fields are keys of `world`. The controllers have no
input from them. Random values depend on the scenario's seed alone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, make_dataclass
from functools import cache, cached_property
from typing import Any, TypeVar

from backbeat.models.common.schema import same_field
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.registry import (
    Kind,
    own_files,
    register_file,
    registered,
)
from backbeat.mpc.disturbances.simulated_world import SimulatedLinks, SimulatedWorld
from backbeat.mpc.reference.trajectory import Reference
from backbeat.optimization.terms.user_file import load_user_file

Part = TypeVar("Part", bound=Disturbance)


@dataclass(frozen=True)
class ModelMismatch:
    """Differences of the simulated world from the model; `model_mismatch` makes one.

    Its fields are those of all kinds that are no lists; by default it is none.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """What is pickled: plain data, for another process may have no such kinds."""
        return _unpickled, (own_files(), asdict(self))

    @cached_property
    def parts(self) -> tuple[Disturbance, ...]:
        """The disturbances that it is made of."""
        return tuple(
            kind(**{f.name: getattr(self, f.name) for f in fields(kind)})
            for kind in _kinds()
            if all(hasattr(self, f.name) for f in fields(kind))
        )

    def part(self, kind: type[Part]) -> Part:
        """That of a kind."""
        (found,) = (part for part in self.parts if isinstance(part, kind))
        return found

    def change_links(self, links: SimulatedLinks) -> None:
        """Changes the robot's links and joints."""
        for part in self.parts:
            part.change_links(links)

    @property
    def delay_of_plans(self) -> float:
        """Time from when a plan is made until it takes effect [s]."""
        return sum(part.delay_of_plans() for part in self.parts)

    def loses_plan(self, number: int, seed: int) -> bool:
        """Whether a plan gets lost, by its number."""
        return any(part.loses_plan(number, seed) for part in self.parts)

    def loses_tick(self, number: int, seed: int) -> bool:
        """Whether a tick gets lost, by its number from 0 at the start."""
        return any(part.loses_tick(number, seed) for part in self.parts)


def model_mismatch(**values: Any) -> ModelMismatch:
    """Differences of the world from the model; none by default."""
    return _mismatch_class(_kinds())(**values)


def draw_world(
    error: ModelMismatch, friction: float, seed: int, reference: Reference
) -> SimulatedWorld:
    """Draws the world of a run.

    Args:
        error: how far it may be from the model.
        friction: coefficient between soles and ground where nothing is drawn.
        seed: of the run.
        reference: the behavior.

    Raises:
        BackbeatError: an unknown drum or joint, or ground that cannot be.
    """
    world = SimulatedWorld(reference, friction, seed)
    for part in error.parts:
        part.change_world(world)
    return world


def _unpickled(files: Iterable[str], values: Mapping[str, Any]) -> ModelMismatch:
    """What was pickled, with the kinds of the user's own that it needs."""
    for file in files:
        register_file(load_user_file(file))
    return model_mismatch(**values)


def _kinds() -> tuple[Kind, ...]:
    """The kinds that are no lists."""
    return tuple(kind for kind in registered() if not kind.list_key)


@cache
def _mismatch_class(kinds: tuple[Kind, ...]) -> type[ModelMismatch]:
    """The class with the fields of some kinds."""
    items: list[tuple[str, Any, Any]] = [
        (item.name, item.type, same_field(kind, item))
        for kind in kinds
        for item in fields(kind)
    ]
    found: type[ModelMismatch] = make_dataclass(
        "ModelMismatch", items, bases=(ModelMismatch,), frozen=True
    )
    return found
