"""A kinematic performance as a behavior, for the stage to show."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from backbeat.behaviors.drumming.drummer import kit_members, score_events
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.kinematic.player import (
    EQUIPMENT,
    KinematicPlayer,
    KinematicSettings,
)
from backbeat.behaviors.kinematic.trajectory import KinematicTrajectory
from backbeat.behaviors.library.behavior import Behavior, centroidal_quantities
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score import HANDS, Score
from backbeat.behaviors.specification.kinds import (
    SETLIST,
    find_specification,
    kind_of,
    parse_specification,
    read_specification,
)
from backbeat.models.common.errors import UNKNOWN_BEHAVIOR, BackbeatError
from backbeat.models.common.outside_file import is_file
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.world.scene import Scene
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory, unforced
from backbeat.optimization.verification.certificate import Certificate

# Kind of such a behavior; the stage says it.
KINEMATIC = "kinematic drumming"


def read_score(
    name: str | Path, library: Library | None = None, robot: str = ""
) -> tuple[Score, DrummingSpecification, DrumKit]:
    """The compiled score of a drumming specification, and its kit at the origin.

    Args:
        name: shipped name, path of a specification, tablature or MIDI file, or name of
            a behavior in the library that was built from one.
        library: where behaviors are; None to look for files alone.
        robot: whose behavior of the library it is; "" for the usual one.

    Raises:
        BackbeatError: no such specification, or it is not one of drumming.
    """
    specification, folder = _find(name, library, robot)
    if not isinstance(specification, DrummingSpecification):
        raise BackbeatError(
            f"{name} is {specification.kind}; the kinematic player plays drumming "
            "behaviors only"
        )
    kit = specification.drum_kit(folder)
    places = {m: kit.strike_pose(m).translation() for m in kit.members}
    score = specification.load(folder, kit_members(kit), HandModel(places))
    return score, specification, kit


def _find(
    name: str | Path, library: Library | None, robot: str
) -> tuple[Specification, Path]:
    """A specification and its folder: of a file, or of what the library was made from.

    Raises:
        BackbeatError: neither is there.
    """
    try:
        path = find_specification(name)
    except BackbeatError as error:
        known = library and library.find(str(name), robot)
        if error.code != UNKNOWN_BEHAVIOR or library is None or known is None:
            raise
        text, path = library.made_from(str(name), robot)
        if not is_file(path):
            raise BackbeatError(
                f"{name} was built from {path}, which is not there any more; name the "
                "file where it is now"
            ) from None
        if kind_of(text, str(path)) == SETLIST:
            raise BackbeatError(f"{name} is a setlist; name one of its songs") from None
        return parse_specification(text, str(path)), path.parent
    return read_specification(path)[0], path.parent


def _hands_alone(score: Score) -> Score:
    """The score without what feet play."""
    return replace(score, hits=tuple(h for h in score.hits if h.hand in HANDS))


def kinematic_behavior(
    name: str | Path,
    settings: KinematicSettings | None = None,
    library: Library | None = None,
) -> Behavior:
    """Plays a drumming specification, as `read_score` finds it, kinematically.

    It has no forces, torques or certificate, and no controller shall follow it.

    Raises:
        BackbeatError: as `read_score`, or a hand is to be at two drums at once.
    """
    score, specification, kit = read_score(name, library)
    settings = settings or KinematicSettings()
    player = KinematicPlayer(score, kit, settings)
    played = player.play()
    robot, motion = player.robot, _dense(played)
    com, momentum, inertia = centroidal_quantities(robot, motion)
    return Behavior(
        name=specification.name,
        kind=KINEMATIC,
        summary=specification.summary,
        robot="atlas",
        equipment=EQUIPMENT,
        mount=player.mount,
        scene=Scene("drum-kit", (0.0, 0.0, 0.0), kit.text),
        bpm=score.tempo.bpm,
        meter=score.tempo.meter,
        motion=motion,
        com=com,
        momentum=momentum,
        inertia=inertia,
        # Its legs are fixed, and nothing presses the pedals.
        events=score_events(_hands_alone(score), lambda member, hand: (0.0, 0.0)),
        certificate=Certificate(()),
        specification="",
        provenance={"remarks": played.sentences(settings.floor)},
    )


def _dense(played: KinematicTrajectory) -> DenseTrajectory:
    """The motion in the robot's order, with nothing that a force would fill."""
    robot, M = played.robot, len(played.times)
    order = robot.joint_indices(played.names)
    q, v = np.zeros((M, robot.num_positions)), np.zeros((M, robot.num_velocities))
    q[:, order], v[:, order] = played.q, played.qdot
    return unforced(robot, played.times, q, v)
