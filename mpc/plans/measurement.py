"""Initial state of a plan: the robot relative to the behavior."""

from collections.abc import Sequence

import numpy as np

from backbeat.models.dynamics.rotations import quaternion_to_matrix, relative_log
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.touchdown import EARLY, Touchdown
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.reference.trajectory import Reference

# How fast the body follows the ground up and down [m/s].
GROUND_SPEED = 0.15


def measure_deviation(state: Configuration, reference: ReferenceSample) -> np.ndarray:
    """(12,) measured minus reference: CoM, its velocity, momentum/mass, rotation.

    The body's rotation is the mean of base and trunk, so that neither a bent
    waist nor a leaning pelvis alone counts as a fallen body.
    """
    robot = state.robot
    momentum = state.momentum / robot.total_mass
    R_base, base, trunk = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    R_ref, out = np.zeros((3, 3)), np.empty(12)
    quaternion_to_matrix(state.q, R_base)
    quaternion_to_matrix(reference.q, R_ref)
    relative_log(R_base, R_ref, base)
    R_trunk = state.rotation(robot.trunk)
    relative_log(R_trunk, reference.R_trunk, trunk)
    out[:3] = state.center_of_mass - reference.com[0]
    out[3:6] = momentum[3:] - reference.com[1]
    out[6:9] = momentum[:3] - reference.momentum[0] / robot.total_mass
    out[9:] = 0.5 * (base + trunk)
    return out


def measure_shift(
    state: Configuration,
    reference: Reference,
    before: Plan,
    s: float,
    touchdowns: Sequence[Touchdown],
    soles: np.ndarray,
) -> np.ndarray:
    """(S, 2) where the soles are, or where those in the air will land, minus planned.

    Args:
        state: the robot.
        reference: the behavior.
        before: the plan so far.
        s: phase now [s].
        touchdowns: feet that landed early, or have not landed yet.
        soles: as of `measure_soles`.
    """
    shift = np.zeros((len(reference.soles), 2))
    for i, c in enumerate(reference.soles):
        swing = next((w for w in before.swings if w.contact == c), None)
        down = next((d for d in touchdowns if d.contact == c), None)
        if down is not None and down.is_to_come(s):
            down = None
        is_late = down is not None and not down.stands
        in_the_air = swing is not None and swing.start <= s < swing.end
        if swing is not None and (is_late or (in_the_air and down is None)):
            shift[i] = swing.landing
            continue
        if down is None:
            shift[i] = soles[i, 0, :2]
        else:
            touching = state.touching(reference.patches[c])
            shift[i] = state.place(touching)[:2] - down.place[:2]
    return shift


def measure_soles(
    state: Configuration, reference: Reference, sample: ReferenceSample, rate: float
) -> np.ndarray:
    """(S, 2, 3) places of the soles minus planned [m], and their change per phase.

    Args:
        state: the robot.
        reference: the behavior.
        sample: the behavior at the phase of now.
        rate: phase rate of now.
    """
    out = np.zeros((len(reference.soles), 2, 3))
    for i, c in enumerate(reference.soles):
        if sample.edge[c]:
            place, velocity = state.on_edge(reference.patches[c], sample.edge[c])
            out[i] = place - sample.p_contact[c], velocity / rate
            continue
        touching = state.touching(reference.patches[c])
        out[i, 0] = state.place(touching) - sample.p_contact[c]
        velocity = state.velocity(touching)[3:]
        out[i, 1] = velocity / rate - sample.contact_motion[0, c, 3:]
    return out


def measure_ground(
    heights: np.ndarray,
    reference: Reference,
    sample: ReferenceSample,
    before: Plan,
    elapsed: float,
    force: np.ndarray,
) -> float:
    """Height of the lowest sole that stands, minus planned, as the body follows it [m].

    Args:
        heights: (S,) of the soles, minus planned [m].
        reference: the behavior.
        sample: the behavior at the phase of now.
        before: the plan so far.
        elapsed: time since it was made [s].
        force: (C,) normal forces on the patches [N].
    """
    stood = [
        float(height)
        for c, height in zip(reference.soles, heights, strict=True)
        if sample.standing[c] and force[c] > reference.scale.weight * EARLY
    ]
    if not stood:
        return before.ground
    most = GROUND_SPEED * elapsed
    return before.ground + float(np.clip(min(stood) - before.ground, -most, most))
