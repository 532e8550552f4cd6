"""Pushes: arrows at what is pushed, long enough to be seen."""

from collections.abc import Sequence

import numpy as np

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.scenario.parts.push import Push
from backbeat.stage.frames.frame import ContactForce

# A push is over in a tenth of a second; its arrow stays [s].
SHOWN = 0.5
# An impulse that is none [N s].
LEAST = 1e-3


def pushes_at(
    pushes: Sequence[Push], t: float, state: Configuration
) -> dict[str, ContactForce]:
    """Pushes that go on, or have just been, by the link that is pushed.

    Args:
        pushes: all there are.
        t: time of the behavior [s].
        state: where the robot is.

    Returns:
        For each link its origin and the impulse on it, of all pushes [N s].
    """
    found: dict[str, ContactForce] = {}
    for push in pushes:
        if not 0.0 <= t - push.time < max(push.duration, SHOWN):
            continue
        point = state.pose(state.robot.link_frame(push.body)).translation()
        impulse = np.array(push.impulse, float)
        if push.body in found:
            impulse = impulse + found[push.body].force
        found[push.body] = ContactForce(point, impulse)
    # Those that make up for each other have no direction.
    return {n: f for n, f in found.items() if np.linalg.norm(f.force) > LEAST}
