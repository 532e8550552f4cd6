"""A robot at a drum kit: where it sits or stands, and what its arms keep away from."""

from collections.abc import Sequence
from functools import cached_property

from pydrake.math import RigidTransform, RotationMatrix

from backbeat.behaviors.drumming.drummer import elbow, shoulder, stick, stick_tip
from backbeat.behaviors.drumming.pedal_strokes import PlayingFoot
from backbeat.behaviors.drumming.strike_postures import ArmFrames, StrikePostures
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.music.notation.score import HANDS
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.models.collision.making import make_collision_model
from backbeat.models.collision.shapes import CollisionModel
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import Scene

SEAT_HEIGHT = 0.65  # of the pelvis origin, seated [m]
# The contact to sit with, and the equipment that it comes with.
SEAT = "seat"
# Planned elbows keep this much below the shoulders of the upright posture [m].
ELBOW_MARGIN = 0.05


class RobotAtKit:
    """A robot with sticks in its place, ready to drum.

    Attributes:
        robot: the robot.
        mount: what holds it: nothing.
        posture: (nq,) nominal configuration.
        scene: the kit where the robot needs it.
        kit: the same with its members.
        collisions: what arms and sticks keep away from.
        supports: poses of what it stands or sits on, by contact.
        feet: feet that play pedals, by FEET.
    """

    def __init__(
        self,
        robot: str,
        equipment: Sequence[str],
        seated: bool,
        kit: str = "",
        feet: Sequence[str] = (),
    ) -> None:
        """Puts the kit before the robot.

        Args:
            robot: name of the robot, or path of its YAML.
            equipment: what it carries.
            seated: whether it sits freely on the kit's chair.
            kit: the kit as text, see `kit_text`; "" for the usual one.
            feet: those of FEET that play pedals of the kit.

        Raises:
            BackbeatError: the robot has no such foot.
        """
        posture = "drum-ready-seated" if seated else "drum-ready"
        self.mount = Mount()
        pedals = [f"{foot.split()[0]}_pedal" for foot in feet]
        equipped = dict.fromkeys([*equipment, *[SEAT] * seated, *pedals])
        self.robot: RobotModel = make_robot(robot, tuple(equipped), self.mount)
        self.posture = start_configuration(self.robot, posture)
        place = (float(self.posture[4]), 0.0, float(self.posture[6]) - SEAT_HEIGHT)
        self.scene = Scene("drum-kit", place, kit)
        self.kit = self.scene.drum_kit()
        self.collisions = self._collisions()
        self.supports = support_poses(self.robot, self.posture)
        if seated:
            self.supports = self._sit(self.supports)
        by_foot = {f"{pedal.foot} foot": pedal for pedal in self.kit.pedals()}
        self.feet = {n: PlayingFoot(self.robot, by_foot[n]) for n in feet}
        for foot in self.feet.values():
            del self.supports[foot.sole]
        for foot in self.feet.values():
            self.supports[foot.heel] = foot.pedal.X_WH

    def strike_postures(self, slope: float) -> StrikePostures:
        """How arms reach heads; nothing is found yet.

        Args:
            slope: least slope of the stick down to the head [rad].
        """
        return StrikePostures(
            self.robot,
            self.posture,
            {h: self._alone(h) for h in HANDS},
            {
                h: ArmFrames(
                    self.robot.roles.joints(f"{h} arm"),
                    stick_tip(h),
                    stick(h),
                    elbow(self.robot, h),
                    self.elbow_height(h),
                )
                for h in HANDS
            },
            slope,
        )

    def elbow_height(self, hand: str) -> float:
        """Height in the world that an elbow shall not exceed [m]."""
        state = Configuration(self.robot, self.posture)
        return (
            float(state.pose(shoulder(self.robot, hand)).translation()[2])
            - ELBOW_MARGIN
        )

    @property
    def arms(self) -> dict[str, frozenset[str]]:
        """Names of joints, links, frames and the stick of each hand's arm."""
        joints, groups = self.robot.joint_names, self.robot.groups
        return {
            hand: frozenset(
                [
                    *(joints[j] for j in groups[f"{hand[0]}_arm"]),
                    *self._forearm(hand),
                    stick_tip(hand),
                ]
            )
            for hand in HANDS
        }

    def _sit(self, feet: dict[str, RigidTransform]) -> dict[str, RigidTransform]:
        """The chair under the pelvis, and the feet flat on the floor."""
        poses = {}
        for name, X in feet.items():
            yaw = X.rotation().ToRollPitchYaw().yaw_angle()
            place = [*X.translation()[:2], 0.0]
            poses[name] = RigidTransform(RotationMatrix.MakeZRotation(yaw), place)
        poses[SEAT] = RigidTransform([*self.posture[4:6], self.kit.seat_height])
        return poses

    def _collisions(self) -> CollisionModel:
        """Arms and sticks keep away from kit and body."""
        links = [link for hand in HANDS for link in self._forearm(hand)]
        return make_collision_model(self.robot, links, self.kit.solids())

    @cached_property
    def behind_tips(self) -> CollisionModel:
        """The same without tips of sticks, which are at heads."""
        spheres = enumerate(self.collisions.spheres)
        return self.collisions.restricted(
            [i for i, f in spheres if f.part != "tip"], []
        )

    def _alone(self, hand: str) -> CollisionModel:
        """What one arm keeps away from while the other is out of its way."""
        own, (other,) = self._forearm(hand), (h for h in HANDS if h != hand)
        mine = [
            i
            for i, f in enumerate(self.collisions.spheres)
            if f.link in own and f.part != "tip"
        ]
        return self.collisions.restricted(mine, self._forearm(other))

    def _forearm(self, hand: str) -> list[str]:
        """Links of an arm from the elbow on, and the stick."""
        elbow_on = self.robot.roles.links_beyond(f"{hand} elbow", f"{hand} arm")
        return [*elbow_on, stick(hand)]
