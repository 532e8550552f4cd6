"""Advancing a closed loop in which settings change: every event at its control tick.

Changes by a user in the run are handled like those of a
scenario: both are a `SettingEvent` in the loop's Context, and take effect
between the sensing of a tick and its control. A run with the events that a user
made by hand is therefore the same bit for bit.
"""

from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context

from backbeat.mpc.disturbances.kinds.setting_event import tick_number
from backbeat.mpc.simulation.diagram import ClosedLoop

# Room for rounding in times [s].
ROUNDING = 1e-9


def advance_to(loop: ClosedLoop, simulator: Simulator, until: float) -> None:
    """Simulates up to a time of the Context [s], events included.

    Raises:
        BackbeatError: an event is on no control tick.
    """
    context = simulator.get_mutable_context()
    own = loop.settings.GetMyContextFromRoot(context)
    while pending := loop.settings.pending(own):
        timing = loop.scenario.timing
        period = timing.tick_period
        when = period * tick_number(pending[0].time, timing.lead_in, period)
        if when > until + ROUNDING:
            break
        if when > context.get_time():
            simulator.AdvanceTo(when)
        apply_next(loop, context)
    if until > context.get_time():
        simulator.AdvanceTo(until)


def apply_next(loop: ClosedLoop, context: Context) -> None:
    """Lets the next event take effect now, in the root Context."""
    source = loop.settings
    event = source.take(source.GetMyMutableContextFromRoot(context))
    if event.friction is not None:
        loop.body.set_friction(context, event.friction)
