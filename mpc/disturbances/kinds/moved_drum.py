"""MovedDrum: a drum that does not stand where it is believed to."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.schema import key
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.draws import Stream, either_way, random_stream
from backbeat.mpc.disturbances.simulated_world import SimulatedWorld


@dataclass
class MovedDrum(Disturbance):
    """A drum that stands elsewhere."""

    name: ClassVar[str] = "moved drum"

    drum_shift: float = key(0.0, "m", ge=0, le=1.0)
    """Displacement of a drum, in a drawn horizontal direction."""
    drum: str = key("")
    """The displaced drum; `""` draws one of those that are played."""

    def change_world(self, world: SimulatedWorld) -> None:
        """Moves the drum.

        Raises:
            BackbeatError: there is no such drum.
        """
        world.moved |= self.moved(world.seed, world.reference.behavior)

    def moved(self, seed: int, behavior: Behavior) -> dict[str, np.ndarray]:
        """(3,) how far drums stand from their place [m]; {} without a kit.

        Raises:
            BackbeatError: there is no such drum.
        """
        if self.drum_shift == 0 or not behavior.scene.name:
            return {}
        kit = behavior.scene.drum_kit()
        random = random_stream(seed, Stream.DRUM)
        played = sorted({e.what for e in behavior.strikes()})
        name = self.drum or str(random.choice(played or sorted(kit.members)))
        kit.member(name)
        direction = either_way(random, np.pi)
        shift = [np.cos(direction), np.sin(direction), 0.0]
        return {name: self.drum_shift * np.array(shift)}
