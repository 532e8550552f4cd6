"""A process in which Drake reads descriptions, and which may crash.

It imports little else, so that it starts as fast as Drake can be imported. A request in
JSON names a file and its packages; an answer in JSON says what became of it. Silence
and death count as outcomes in the parent process, see `drake_reader`.
"""

import json
import logging
import resource
from typing import Any

from pydrake.common import configure_logging
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.common.processes.child import Parent

# A robot with more to say than this says the same over and over.
_MOST_WARNINGS = 200
# Address space of the process [bytes]; Drake with Atlas takes a fifteenth of it.
_MEMORY = 4 * 2**30


class _Warnings(logging.Handler):
    """Keeps what Drake logs."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if len(self.said) < _MOST_WARNINGS:
            self.said.append(record.getMessage().splitlines()[0])


def read(path: str, packages: dict[str, str], text: str) -> dict[str, Any]:
    """Reads a file, or a text in its place, into a plant; counts of what it found."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.001)
    parser = Parser(plant)
    known = parser.package_map()
    for name in known.GetPackageNames():
        known.Remove(name)  # Some of them would be fetched from the network.
    for name, folder in packages.items():
        known.Add(name, folder)
    if text:
        (instance,) = parser.AddModelsFromString(text, "urdf")
    else:
        (instance,) = parser.AddModels(path)
    joints = [plant.get_joint(i) for i in plant.GetJointIndices(instance)]
    plant.Finalize()  # Which adds a joint for every free body.
    context = plant.CreateDefaultContext()
    bodies = plant.GetBodyIndices(instance)
    return {
        "bodies": len(bodies),
        "moving_joints": sum(j.num_velocities() > 0 for j in joints),
        "actuators": plant.num_actuators(),
        "total_mass_kg": plant.CalcTotalMass(context, [instance]),
    }


def outcome(path: str, packages: dict[str, str], text: str) -> dict[str, Any]:
    """What becomes of a file, exceptions and attempts to exit among it."""
    try:
        return {"outcome": "read"} | read(path, packages, text)
    except (RuntimeError, ValueError, MemoryError) as error:
        return {"outcome": "refused", "message": str(error).strip()}
    except SystemExit as error:  # A check of Drake's own that failed.
        return {"outcome": "exits", "message": str(error).strip()}


def main() -> None:
    """Answers until the input ends."""
    # A mesh may be asked for that no memory holds; the machine has to live on.
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    parent = Parent()
    configure_logging()
    warnings = _Warnings()
    logger = logging.getLogger("drake")
    logger.handlers, logger.propagate = [warnings], False
    parent.answer(b"ready")
    for request in parent.requests():
        warnings.said = []
        answer = outcome(**json.loads(request)) | {"warnings": warnings.said}
        parent.answer(json.dumps(answer).encode())


if __name__ == "__main__":
    main()
