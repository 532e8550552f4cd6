"""EngineSetup: the world that an engine is made for."""

from collections.abc import Callable
from dataclasses import dataclass

from pydrake.multibody.tree import BodyIndex, RigidBody
from pydrake.systems.framework import Context, Diagram, DiagramBuilder

from backbeat.models.mjcf.contact import FIRM
from backbeat.models.world.scene import Scene, World, lock_joints
from backbeat.mpc.disturbances.model_mismatch import ModelMismatch
from backbeat.mpc.disturbances.simulated_world import SimulatedLinks
from backbeat.mpc.engines.engine import Engine
from backbeat.mpc.world.contact_log import ContactLog, add_contact_log


@dataclass(frozen=True)
class EngineSetup:
    """A world in a diagram of its own, which most engines do not simulate.

    Attributes:
        world: robot, ground and scene, as a Drake plant.
        scene: what stands on the ground there.
        diagram: of the world and its contact log.
        root: Context of it: masses, damping and locked joints of the run.
        contact_log: contact forces by name, and what strikes.
        law: name of how contact yields, where an engine has such names.
    """

    world: World
    scene: Scene
    diagram: Diagram
    root: Context
    contact_log: ContactLog
    law: str = FIRM

    @property
    def time_step(self) -> float:
        """Step of the simulation [s]."""
        return float(self.world.plant.time_step())

    @property
    def context(self) -> Context:
        """The plant's own Context."""
        return self.world.plant.GetMyMutableContextFromRoot(self.root)

    def body(self, number: int) -> RigidBody:
        """A body of the plant."""
        return self.world.plant.get_body(BodyIndex(number))


MakeEngine = Callable[[EngineSetup], Engine]


def set_up_engine(
    builder: DiagramBuilder,
    world: World,
    scene: Scene,
    law: str = FIRM,
    error: ModelMismatch | None = None,
    seed: int = 0,
) -> EngineSetup:
    """Builds the diagram of a world for an engine.

    Args:
        builder: that the world was added to, and nothing else.
        world: robot, ground and scene.
        scene: what stands on the ground there.
        law: name of how contact yields.
        error: how far masses and damping are from the model's; None for not at all.
        seed: of the run.
    """
    _, log = add_contact_log(builder, world, scene)
    diagram = builder.Build()
    root = diagram.CreateDefaultContext()
    own = world.plant.GetMyMutableContextFromRoot(root)
    lock_joints(world.plant, own, world.robot.locked)
    if error is not None:
        error.change_links(SimulatedLinks(world.plant, own, world.instance, seed))
    return EngineSetup(world, scene, diagram, root, log, law)
