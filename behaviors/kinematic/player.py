"""Kinematic player: drums without dynamics, by inverse kinematics alone.

Algorithm 1 of G. Bahati, S. Esteban, "Atlas The Drummer", 2021, step by step: 17 joints
of a seated robot whose legs are fixed follow the tips' segments by a damped
pseudo-inverse, and what is left of their freedom centers the elbows, keeps the torso
upright or lets it dance, and turns the sticks. Elbows stay below their shoulders and
singular values above a floor wherever tips allow it. There are no forces, no balance,
no rebound: the optimizer's motion is to be compared with it.
"""

from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.drumming.drummer import stick_tip, target_pose
from backbeat.behaviors.kinematic.floors import elbow_rows, kept, value_row
from backbeat.behaviors.kinematic.segments import (
    Segment,
    segments_between,
    stops_of_hand,
)
from backbeat.behaviors.kinematic.trajectory import KinematicTrajectory
from backbeat.behaviors.kinematic.two_branches import (
    TIPS,
    damped_inverse,
    seventeen,
    two_branch_jacobian,
)
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.music.notation.score import HANDS, Hold, Score
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

PELVIS_HEIGHT = 0.65  # above the kit's floor, seated [m]
TIP_RADIUS = 0.007  # m
POSTURE = "drum-ready-seated"
EQUIPMENT = ("sticks",)
# Slope of the stick down to the tip while it does not lift [rad].
SLOPE = 0.25
# Static postures are found in so many steps of the same law.
STATIC_STEPS, STATIC_STEP = 250, 0.04


@dataclass(frozen=True)
class KinematicSettings:
    """Gains of the player.

    Attributes:
        time_step: largest step [s].
        damping: g of the pseudo-inverse [m/rad].
        gain: of the tips' places [1/s].
        elbow, upright, stick: gains of the secondary tasks [1/s]; 0 is off.
        keep: gain of what is kept [1/s]; 0 is off.
        elbow_depth: that elbows are kept below their shoulders, at least [m].
        floor: that the smallest singular value is kept above [m/rad]; 0 is none.
        limits: gain that brings joints back from their last tenth [1/s]; the report
            has none, and its robot's shoulders and wrists would leave their range.
        height: height factor of a Goto [m].
        lift: greatest theta_x of a Goto [rad].
    """

    time_step: float = 0.005
    damping: float = 0.02
    gain: float = 40.0
    elbow: float = 6.0
    upright: float = 10.0
    stick: float = 8.0
    keep: float = 10.0
    elbow_depth: float = 0.05
    floor: float = 0.25
    limits: float = 40.0
    height: float = 0.13
    lift: float = 0.6


def seated_robot(kit: DrumKit) -> tuple[RobotModel, Mount]:
    """Atlas with sticks on its chair: pelvis welded, legs and neck fixed."""
    whole = make_robot("atlas", EQUIPMENT, Mount())
    angles = whole.posture_joints(POSTURE)
    roles = ("left leg", "right leg", "neck")
    fixed = np.concatenate([whole.roles.joints(role) for role in roles])
    locked = {whole.joint_names[i]: 0.0 for i in fixed}
    locked |= {name: angles[name] for name in locked if name in angles}
    x, y, z = map(float, kit.p_WK)
    mount = Mount((x, y, z + PELVIS_HEIGHT), locked=locked)
    return make_robot("atlas", EQUIPMENT, mount), mount


def play_kinematically(
    score: Score, kit: DrumKit, settings: KinematicSettings | None = None
) -> KinematicTrajectory:
    """Plays a score.

    Args:
        score: compiled, with a hand for every hit.
        kit: where the drums are.
        settings: gains.

    Raises:
        BackbeatError: a hand is to be at two drums at once.
    """
    return KinematicPlayer(score, kit, settings or KinematicSettings()).play()


class KinematicPlayer:
    """Plays one score; the numbers in `play` are those of the report's steps."""

    def __init__(self, score: Score, kit: DrumKit, settings: KinematicSettings) -> None:
        """Finds the segments of both hands.

        Raises:
            BackbeatError: a hand is to be at two drums at once.
        """
        self.score, self.kit, self.settings = score, kit, settings
        self.robot, self.mount = seated_robot(kit)
        self._order = seventeen(self.robot)
        names = [self.robot.joint_names[i] for i in self._order]
        self._names = tuple(names)
        roles = self.robot.roles
        bends = [roles.names(f"{hand} elbow") for hand in HANDS]
        self._elbows = np.array([names.index(n) for pair in bends for n in pair])
        (turn,) = roles.names("waist yaw")
        self._turn = names.index(turn)
        self._back = np.arange(len(roles.joints("waist")))
        lower = self.robot.position_lower[self._order]
        upper = self.robot.position_upper[self._order]
        self._range = lower + 0.1 * (upper - lower), upper - 0.1 * (upper - lower)
        self._ready = self.robot.posture(POSTURE)[self._order]
        self._state = Configuration(self.robot, self._scattered(self._ready))
        self._end = score.tempo.time(score.beats)
        # 2, 3, 4: chains, segments in task space, path variables.
        self.segments = {hand: self._segments(hand) for hand in HANDS}

    def play(self) -> KinematicTrajectory:
        """Follows the segments from start to end."""
        times = self._times()
        N, g = len(times), self.settings.damping
        q, qdot = np.zeros((N, 17)), np.zeros((N, 17))
        error, leakage = np.zeros((N, 2)), np.zeros(N)
        singular, kinds = np.zeros((N, 6)), np.full(N, "Goto")
        # 5: begin in an orientation that leads to no singularity.
        q[0] = self._settled(self._targets(times[0]))
        step = np.append(np.diff(times), self.settings.time_step)
        for k, t in enumerate(times):
            # 7, 8: evaluate segments and path variables, now and after the step.
            now, then = self._targets(t), self._targets(t + step[k])
            hold = self._hold(t)
            kinds[k] = "Hold" if hold is not None else "Goto"
            self._state.update(self._scattered(q[k]))
            J, J_R = two_branch_jacobian(self._state)  # 16
            p = self._tips()
            v_p = (then - now) / step[k] + self.settings.gain * (now - p)
            wanted = self._secondary(q[k], t, hold, J_R)  # 10 to 15, 17
            # 18: the primary task, and what is left to the secondary ones.
            J_w = damped_inverse(J, g)
            free = wanted - J_w @ (J @ wanted)
            singular[k] = np.linalg.svd(J, compute_uv=False)
            rows = self._floors(J, J_R, float(singular[k, -1]))
            if rows:
                N_w = np.eye(17) - J_w @ J
                free += kept(J_w @ v_p + free, N_w, rows)
            qdot[k] = J_w @ v_p + free
            error[k] = np.linalg.norm((now - p).reshape(2, 3), axis=1)
            leakage[k] = np.linalg.norm(J @ free)
            if k + 1 < N:  # 19, 20: update and publish
                q[k + 1] = q[k] + step[k] * qdot[k]
        return KinematicTrajectory(
            times, q, qdot, self._names, kinds, error, leakage, singular, self.robot
        )

    def _times(self) -> np.ndarray:
        """(N,) an even grid, and every corner of a segment."""
        count = int(np.ceil(self._end / self.settings.time_step - 1e-9))
        grid = np.linspace(0.0, self._end, count + 1)
        ends = [s.end for hand in HANDS for s in self.segments[hand]]
        corners = np.unique([t for t in ends if 0 < t < self._end])
        far = np.abs(grid[:, None] - corners[None, :]).min(1, initial=np.inf) > 1e-3
        far[[0, -1]] = True
        return np.unique(np.r_[grid[far], corners])

    def _secondary(
        self, q: np.ndarray, t: float, hold: Hold | None, J_R: np.ndarray
    ) -> np.ndarray:
        """(17,) joint speeds of the secondary tasks."""
        settings, wanted = self.settings, np.zeros(17)
        wanted[self._elbows] = settings.elbow * (self._ready - q)[self._elbows]
        wanted[self._back] = -settings.upright * q[self._back]
        inside = np.clip(q, *self._range)
        if hold is not None:
            # The torso dances: the path variable of the hold runs through its swings.
            angle, rate = self._dance(hold, t)
            gain = max(settings.upright, 4.0)
            wanted[self._turn] = rate + gain * (angle - q[self._turn])
        if settings.stick > 0 and hold is None:
            error = np.concatenate([self._stick_error(hand, t) for hand in HANDS])
            wanted += settings.stick * (damped_inverse(J_R, 0.3) @ error)
        return wanted + settings.limits * (inside - q)

    def _floors(
        self, J: np.ndarray, J_R: np.ndarray, smallest: float
    ) -> list[tuple[np.ndarray, float]]:
        """Rows over the joints of what is kept, with their least rates."""
        settings = self.settings
        if settings.keep == 0:
            return []
        rows = elbow_rows(self._state, settings.elbow_depth, settings.keep)
        if settings.floor > 0:
            rows += value_row(J, J_R, smallest, settings.floor, settings.keep)
        return rows

    def _dance(self, hold: Hold, t: float) -> tuple[float, float]:
        """Angle of the torso about z in a hold [rad], and its rate [rad/s]."""
        time = self.score.tempo.time
        start, end = time(hold.beat), time(hold.beat + hold.beats)
        s = (t - start) / (end - start)
        swings = 2.0 * np.pi * hold.beats / hold.sway_beats
        # Grows and dies with the path variable, so that nothing jerks.
        window, slope = np.sin(np.pi * s) ** 2, np.pi * np.sin(2.0 * np.pi * s)
        wave, change = np.sin(swings * s), swings * np.cos(swings * s)
        rate = hold.sway * (slope * wave + window * change) / (end - start)
        return float(hold.sway * window * wave), float(rate)

    def _stick_error(self, hand: str, t: float) -> np.ndarray:
        """(3,) rotation that turns a stick to where it should point [rad].

        Its roll about itself is free: that is the grip's business.
        """
        R = self._segment(hand, t).rotation(t)
        wanted = R @ np.array([0.0, np.cos(SLOPE), -np.sin(SLOPE)])
        return np.cross(self._stick(hand), wanted)

    def _stick(self, hand: str) -> np.ndarray:
        """(3,) unit vector along a stick, to its tip."""
        # The stick's x points from the grip to the tip.
        return np.asarray(self._state.pose(stick_tip(hand)).rotation().matrix()[:, 0])

    def _tips(self) -> np.ndarray:
        """(6,) places of both tips [m]."""
        return np.concatenate([self._state.pose(tip).translation() for tip in TIPS])

    def _targets(self, t: float) -> np.ndarray:
        """(6,) places on both segments [m]."""
        return np.concatenate([self._segment(hand, t).place(t) for hand in HANDS])

    def _segment(self, hand: str, t: float) -> Segment:
        segments = self.segments[hand]
        return next((s for s in segments if t < s.end), segments[-1])

    def _hold(self, t: float) -> Hold | None:
        """The hold that a time belongs to."""
        time = self.score.tempo.time
        for hold in self.score.holds:
            if time(hold.contact_start) <= t < time(hold.contact_end):
                return hold
        return None

    def _scattered(self, q: np.ndarray) -> np.ndarray:
        """Joints in the robot's order."""
        out = np.zeros(self.robot.num_positions)
        out[self._order] = q
        return out

    def _settled(
        self, targets: np.ndarray, near: np.ndarray | None = None
    ) -> np.ndarray:
        """(17,) a posture with the tips at their targets, near the ready one."""
        q = (self._ready if near is None else near).copy()
        for _ in range(STATIC_STEPS):
            self._state.update(self._scattered(q))
            J, _ = two_branch_jacobian(self._state)
            J_w = damped_inverse(J, self.settings.damping)
            wanted = 4.0 * (self._ready - q)
            wanted += 10.0 * (np.clip(q, *self._range) - q)
            v_p = 20.0 * (targets - self._tips())
            q = q + STATIC_STEP * (J_w @ v_p + wanted - J_w @ (J @ wanted))
        return q

    # --- segments ---------------------------------------------------------------

    def _segments(self, hand: str) -> list[Segment]:
        """Holds at drums, and the ways between them."""
        stops = stops_of_hand(self.score, hand)
        self._state.update(self._scattered(self._ready))
        home = self._state.pose(stick_tip(hand)).translation()
        aims = {m: self._aim(hand, m) for m in dict.fromkeys(s[2] for s in stops)}
        start = home, self._azimuth(hand)
        way = self.settings.height, self.settings.lift
        return segments_between(stops, aims, start, self._end, *way)

    def _aim(self, hand: str, member: str) -> tuple[np.ndarray, float]:
        """Where a tip touches a drum [m], and how the stick lies there [rad]."""
        X_WM = self._touch(member, hand)
        self._state.update(self._scattered(self._ready))
        targets = self._tips()
        side = HANDS.index(hand)
        targets[3 * side : 3 * side + 3] = X_WM.translation()
        self._state.update(self._scattered(self._settled(targets)))
        return X_WM.translation(), self._azimuth(hand)

    def _touch(self, member: str, hand: str) -> RigidTransform:
        """Where a tip touches a drum, or is at a target of a name."""
        if member not in self.kit.members:
            return target_pose(self.score, self.kit, member, hand, self._touch)
        X_MT = RigidTransform([0.0, 0.0, TIP_RADIUS])
        return self.kit.strike_pose(member) @ X_MT

    def _azimuth(self, hand: str) -> float:
        """Direction of a stick seen from above, from +y [rad]."""
        x, y, _ = self._stick(hand)
        return float(np.arctan2(-x, y))
