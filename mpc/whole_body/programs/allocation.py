"""What a whole-body program reads and writes, made for one robot."""

from collections.abc import Sequence

import numpy as np

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.contact.cones import CONE_ROWS, PATCH_MARGIN, wrench_cone
from backbeat.models.dynamics import kinematic_tree
from backbeat.models.dynamics.frame_arrays import frame_arrays
from backbeat.models.dynamics.frames import LINE
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.reference.scale import body_scale
from backbeat.mpc.whole_body.programs.arguments import (
    ModelData,
    ProgramRows,
    ProgramWorkspace,
    Target,
)
from backbeat.mpc.whole_body.programs.limbs import LimbJoints, find_limbs


def _limbed(robot: RobotModel, contacts: Sequence[str]) -> Sequence[str]:
    """The contacts with a limb of their own.

    Raises:
        BackbeatError: a contact is unknown, or one without a limb comes first.
    """
    for name in contacts:
        if name not in robot.contacts:
            raise unknown_name("contact", name, robot.contacts)
    has_limb = [len(robot.contacts[name].limb) > 0 for name in contacts]
    if has_limb != sorted(has_limb, reverse=True):
        raise BackbeatError(
            f"contacts {', '.join(contacts)}: those with a limb come first"
        )
    return contacts[: sum(has_limb)]


def make_model(
    robot: RobotModel,
    contacts: Sequence[str],
    points: Sequence[str],
    friction: float,
    eliminate: bool,
) -> ModelData:
    """The robot as the assembly reads it.

    Args:
        robot, contacts, points, friction: as of `WholeBodyProgram`.
        eliminate: whether limbs follow their contacts exactly.
    """
    on_limbs = _limbed(robot, contacts)
    patches = [robot.contacts[name] for name in contacts]
    limbs = found = find_limbs(robot, on_limbs)
    if not eliminate:
        limbs = LimbJoints.none(robot.num_joints)
    cones = [
        wrench_cone(PATCH_MARGIN * c.bearing[0], PATCH_MARGIN * c.bearing[1], friction)
        for c in patches
    ]
    edges = [wrench_cone(LINE, PATCH_MARGIN * c.bearing[1], friction) for c in patches]
    contact = frame_arrays([c.frame for c in patches])
    point = frame_arrays([robot.frame(name) for name in points])
    return ModelData(
        tree=robot.tree,
        gravity=robot.gravity,
        mass=robot.total_mass,
        scale=body_scale(robot).length,
        effort=robot.effort_limits,
        stall=robot.motors.stall,
        slope=robot.motors.slope,
        pairs=robot.motors.pairs,
        damping=robot.damping,
        position_lower=robot.position_lower,
        position_upper=robot.position_upper,
        contact_body=contact.body,
        contact_R=contact.R_PF,
        contact_p=contact.p_PF,
        contact_size=np.reshape(
            [[c.half_length, 0.0 if c.rolls else c.half_width] for c in patches],
            (-1, 2),
        ),
        contact_rolls=np.array([c.rolled_width for c in patches], float),
        limb=limbs.limb,
        limb_range=limbs.ranges,
        free=limbs.free,
        posed=np.searchsorted(limbs.free, found.free),
        num_limbs=len(on_limbs),
        coupled=limbs.coupled,
        cone=np.array(cones).reshape(-1, CONE_ROWS, 6),
        edge_cone=np.array(edges).reshape(-1, CONE_ROWS, 6),
        trunk_body=robot.trunk.body,
        trunk_R=robot.trunk.R_PF,
        trunk_p=robot.trunk.p_PF,
        point_body=point.body,
        point_p=point.p_PF,
    )


def make_workspace(
    robot: RobotModel, model: ModelData, bounds: int
) -> ProgramWorkspace:
    """The workspace of a program with so many bounds, of its unknowns and its rows."""
    nv, nj, C = robot.num_velocities, robot.num_joints, len(model.contact_body)
    n = len(model.free) + 6 * C
    rows = bounds - n
    # Momentum, its rate, two bodies, points, posture, and twice what contacts do.
    K = 15 + 3 * len(model.point_body) + nj + 12 * C
    z = np.zeros
    return ProgramWorkspace(
        ws=kinematic_tree.make_workspace(robot.tree),
        bias=z(nv),
        M=z((nv, nv)),
        J=z((C, 6, nv)),
        Jdv=z((C, 6)),
        required=z((C, 6)),
        R=z((C, 3, 3)),
        r=z((C, 3)),
        edge=z(C),
        pitch=z(C),
        Z=z((nv, n)),
        z0=z(nv),
        rows=ProgramRows(
            T=z((K, n)),
            unit=z(K, np.int64),
            y=z(K),
            wanted=z(K),
            weight=z(K),
            task=z((K, 2), np.int64),
            used=z(1, np.int64),
        ),
        H=z((n, n)),
        g=z(n),
        A=z((rows, n)),
        lower=z(n + rows),
        upper=z(n + rows),
        com=z(3),
        momentum=z(6),
        R_trunk=z((3, 3)),
    )


def make_target(nj: int, C: int, P: int) -> Target:
    """An empty target for so many joints, contacts and points: all contacts stand."""
    z = np.zeros
    return Target(
        com=z((3, 3)),
        momentum=z((2, 3)),
        R_base=np.eye(3),
        base=z((2, 3)),
        R_trunk=np.eye(3),
        trunk=z((2, 3)),
        joints=z((3, nj)),
        standing=np.ones(C, bool),
        R_contact=np.tile(np.eye(3), (C, 1, 1)),
        contact=z((C, 3)),
        contact_motion=z((2, C, 6)),
        wrench=z((C, 6)),
        edge=z(C),
        pitch=z(C),
        point=z((3, P, 3)),
        point_on=z(P),
        point_force=z((P, 3)),
        may_step=np.ones(1, bool),
    )
