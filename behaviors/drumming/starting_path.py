"""Starting path: the motion through strike postures that the optimizer starts from.

Each arm goes from head to head by itself; feet, seat and tips at rest are where they
are in contact.
"""

from collections.abc import Callable, Mapping

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.drumming.drummer import stick_tip
from backbeat.behaviors.drumming.resting import RestingPostures
from backbeat.behaviors.drumming.strike_postures import Stop, StrikePostures, arm_path
from backbeat.behaviors.music.notation.score import HANDS, Score
from backbeat.models.common.errors import BackbeatError
from backbeat.optimization.problem.contact_schedule import ContactSchedule, Phase

# Where a tip touches a head, by member and hand; axes of the head.
Touch = Callable[[str, str], RigidTransform]


def start_at_rest(
    score: Score, resting: RestingPostures, posture: np.ndarray, where: str
) -> np.ndarray:
    """(nq,) start configuration: tips on the heads of the first hold.

    Args:
        score: what is played.
        resting: finds postures with both tips at rest.
        posture: (nq,) what the start is to be near to.
        where: names the specification in errors.

    Raises:
        BackbeatError: the score does not start with both hands at rest, or they
            cannot rest there.
    """
    first = score.holds[0] if score.holds else None
    if first is None or first.beat > 0 or set(first.rest) != set(HANDS):
        raise BackbeatError(
            f"{where}: a score starts with a hold in which both hands rest",
            path=("score",),
        )
    q, fault = resting.find(first.rest, posture)
    if fault:
        on = " and ".join(f"the {h} stick on {m}" for h, m in first.rest.items())
        raise BackbeatError(
            f"{where}: a score starts with {on}, and {fault}; let hands rest on other "
            "drums in the first hold",
            path=("score",),
        )
    return q


def strike_path(
    score: Score,
    times: np.ndarray,
    postures: StrikePostures,
    touch: Touch,
    apex: float,
    q_start: np.ndarray,
) -> np.ndarray:
    """(N, nq) the path through strike postures.

    Args:
        score: what is played, with hands for all hits.
        times: (N,) knot times [s].
        postures: how hands reach drums.
        touch: where a tip touches a head.
        apex: height of the way above the higher of its two drums [m].
        q_start: (nq,) start configuration, which all but the arms keep.
    """
    path = np.tile(q_start, (len(times), 1))
    nq = postures.robot.base_positions
    for hand in HANDS:
        stops = [
            Stop(score.tempo.time(beat), m, touch(m, hand), hold is not None)
            for beat, m, hold in score.stops(hand)
        ]
        arm = nq + postures.arm(hand)
        path[:, arm] = arm_path(postures, hand, times, stops, apex)
    # Each arm alone may be through the other; the start is clear of both.
    rests = times <= score.tempo.time(score.holds[0].contact_end)
    rests[:2] = True
    path[rests] = q_start
    return path


def contact_schedule(
    score: Score, supports: Mapping[str, RigidTransform], touch: Touch
) -> ContactSchedule:
    """Feet, and the seat, all the time; tips during holds.

    Args:
        score: what is played.
        supports: contacts that carry the robot, with their poses in the world.
        touch: where a tip touches a head.
    """
    phases, beat, time = [], 0.0, score.tempo.time
    for hold in [*score.holds, None]:
        start = score.beats if hold is None else hold.contact_start
        if start > beat:
            phases.append(Phase(time(start) - time(beat), supports, "play"))
        if hold is None:
            break
        end = hold.contact_end
        tips = {stick_tip(h): touch(m, h) for h, m in hold.rest.items()}
        phases.append(Phase(time(end) - time(start), {**supports, **tips}, hold.name))
        beat = end
    return ContactSchedule(tuple(phases))
