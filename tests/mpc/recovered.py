"""Whether a robot has got over a push, by what survival asks for, and sooner."""

from backbeat.mpc.analysis.survival import judge
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.simulation.run import SimulationRun

# After the end of a push [s]. A card judges 4 s after it: to have the behavior
# resumed sooner is more, and the other half of the run need not be simulated.
SOON = 2.5


def recovered(run: SimulationRun) -> bool:
    """Whether the robot of a run with one push is on its feet and in its behavior.

    Raises:
        AssertionError: the run, which did not end by a fall, is too short to tell.
    """
    (push,) = run.scenario.disturbances.pushes
    found = judge(run, Reference(run.behavior), push.time + push.duration + SOON)
    assert run.fell or found is not None
    return not run.fell and found is not None and found.survived
