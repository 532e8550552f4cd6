"""A robot at a drum kit: where it sits or stands, and what its arms keep away from."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.behaviors.drumming.drummer import elbow, shoulder, stick, stick_tip
from backbeat.behaviors.drumming.kit_at_size import (
    READY,
    READY_SEATED,
    SEAT,
    USUAL_DRUMMER,
    drummer_of,
    hands_at_size,
    kit_at_size,
    stick_length,
)
from backbeat.behaviors.drumming.pedal_strokes import PlayingFoot
from backbeat.behaviors.drumming.strike_postures import ArmFrames, StrikePostures
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.music.notation.score import HANDS
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.models.collision.making import (
    links_with_shapes,
    make_collision_model,
    with_corners,
)
from backbeat.models.collision.shapes import CollisionModel
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import Scene

# Planned elbows keep this much below the shoulders of the upright posture [m].
ELBOW_MARGIN = 0.05
# Distance that arms and sticks keep from the kit and the body [m].
MARGIN = 0.01
# Postures of an arm that are tried for whether its upper part comes near the body.
TRIALS = 400


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
        size: what became of places that hands get to.
    """

    def __init__(
        self,
        robot: str,
        equipment: Sequence[str],
        seated: bool,
        kit: str = "",
        feet: Sequence[str] = (),
        scale: float = 1.0,
    ) -> None:
        """Puts the kit before the robot.

        Args:
            robot: name of the robot, or path of its YAML.
            equipment: what it carries.
            seated: whether it sits freely on the kit's chair.
            kit: the kit as text, see `kit_text`; "" for the usual one.
            feet: those of FEET that play pedals of the kit.
            scale: of its reach to that of the drummer that the kit is written for.

        Raises:
            BackbeatError: the robot has no such foot.
        """
        posture = READY_SEATED if seated else READY
        self.mount = Mount()
        pedals = [f"{foot.split()[0]}_pedal" for foot in feet]
        equipped = dict.fromkeys([*equipment, *[SEAT] * seated, *pedals])
        self.robot: RobotModel = make_robot(robot, tuple(equipped), self.mount)
        self.posture = start_configuration(self.robot, posture)
        drummer = USUAL_DRUMMER
        if scale != 1.0:
            drummer = drummer_of(self.robot, self.posture, scale, seated)
            kit = kit_at_size(kit, scale, drummer)
        self.scale, self.size = scale, hands_at_size(scale, drummer)
        # On the floor for a seated robot; raised for a standing one.
        height = 0.0 if seated else float(self.posture[6]) - drummer.pelvis
        place = (float(self.posture[4]), 0.0, height)
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
                    stick_length(self.robot, h),
                )
                for h in HANDS
            },
            slope,
            # The kit is crowded for limbs that are thicker than its scale.
            stays_up=self.scale != 1.0,
        )

    def elbow_height(self, hand: str) -> float:
        """Height in the world that an elbow shall not exceed [m]."""
        state = Configuration(self.robot, self.posture)
        return (
            float(state.pose(shoulder(self.robot, hand)).translation()[2])
            - self.scale * ELBOW_MARGIN
        )

    @property
    def arms(self) -> dict[str, frozenset[str]]:
        """Names of joints, links, frames and the stick of each hand's arm."""
        joints, roles = self.robot.joint_names, self.robot.roles
        return {
            hand: frozenset(
                [
                    *(joints[j] for j in roles.joints(f"{hand} arm")),
                    *self._links[hand],
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
        links = [link for hand in HANDS for link in self._links[hand]]
        solids, margin = self.kit.solids(self.scale), self.scale * MARGIN
        model = make_collision_model(self.robot, links, solids, margin)
        left, right = (self._hand_body(hand) for hand in HANDS)
        return with_corners(model, (left, right))

    def _hand_body(self, hand: str) -> int:
        """Body at the end of an arm, which carries a stick."""
        links = self.robot.roles.links_beyond(f"{hand} elbow", f"{hand} arm")
        return self.robot.link_frame(links[-1]).body

    @cached_property
    def behind_tips(self) -> CollisionModel:
        """The same without tips of sticks, which are at heads."""
        spheres = enumerate(self.collisions.spheres)
        return self.collisions.restricted(
            [i for i, f in spheres if f.part != "tip"], []
        )

    def _alone(self, hand: str) -> CollisionModel:
        """What one arm keeps away from while the other is out of its way."""
        own, (other,) = self._links[hand], (h for h in HANDS if h != hand)
        mine = [
            i
            for i, f in enumerate(self.collisions.spheres)
            if f.link in own and f.part != "tip"
        ]
        return self.collisions.restricted(mine, self._links[other])

    @cached_property
    def _links(self) -> dict[str, list[str]]:
        """Links of each arm that keep away from kit and body, and its stick.

        Those from the elbow on with what is fixed to the hand, and of the upper arm
        what can come near anything at all.
        """
        robot, found = self.robot, dict[str, list[str]]()
        shaped = dict(links_with_shapes(robot))
        items = robot.equipment_items()
        for hand in HANDS:
            whole = robot.roles.links_beyond(f"{hand} shoulder", f"{hand} arm")
            links = robot.roles.links_beyond(f"{hand} elbow", f"{hand} arm")
            upper = [n for n in whole if n not in links and n in shaped]
            end = self._hand_body(hand)
            fixed = [n for n, body in shaped.items() if body == end and n not in items]
            near = [n for n in upper if self._comes_near(hand, n)]
            found[hand] = [*dict.fromkeys([*near, *links, *fixed]), stick(hand)]
        return found

    def _comes_near(self, hand: str, link: str) -> bool:
        """Whether a link of an arm can come near anything of the robot, by trial."""
        robot = self.robot
        model = make_collision_model(robot, [link], [], self.scale * MARGIN)
        arm = robot.roles.joints(f"{hand} arm")
        low = np.maximum(robot.position_lower[arm], -np.pi)
        high = np.minimum(robot.position_upper[arm], np.pi)
        rng, q = np.random.default_rng(0), self.posture.copy()
        state, arrays = Configuration(robot, q), model.arrays()
        for _ in range(TRIALS):
            q[robot.base_positions + arm] = rng.uniform(low, high)
            distances, _ = state.update(q).distances(arrays)
            if distances.min() < model.margin:
                return True
        return False
