"""The whole-body program as its head states it: nothing eliminated, Drake alone.

Unknowns are all accelerations and all contact wrenches, y = [vdot, w]; equations of
motion and contact accelerations are equality rows. Dense and slow.
"""

import numpy as np
import piqp
from scipy.spatial.transform import Rotation

from backbeat.models.contact.cones import PATCH_MARGIN, wrench_cone
from backbeat.mpc.reference.scale import body_scale
from backbeat.mpc.whole_body.programs.limb_elimination import LEVER
from backbeat.mpc.whole_body.programs.limbs import find_limbs
from backbeat.mpc.whole_body.programs.limits import (
    LIMB_MOST,
    LIMB_ROOM,
    LIMB_TIME,
    MAX_FORCE,
)
from tests.mpc.whole_body_cases import Stance

FRICTION = 0.6


def rotation_error(target: np.ndarray, R: np.ndarray) -> np.ndarray:
    """(3,) rotation vector that takes R to the target, world axes."""
    return Rotation.from_matrix(target @ R.T).as_rotvec()


class FullProgram:
    """Builds and solves the program of a stance."""

    def __init__(self, stance: Stance) -> None:
        self.stance, self.robot, self.drake = stance, stance.robot, stance.drake
        self.contacts = stance.program.contacts
        self.nv, self.C = self.robot.num_velocities, len(self.contacts)
        n = self.nv + 6 * self.C
        self.H, self.f = np.zeros((n, n)), np.zeros(n)
        drake = self.drake
        self.h = drake.inverse_dynamics(np.zeros(self.nv))
        self.points = stance.program.points
        self.limbs = find_limbs(self.robot, self.limbed)
        for p, name in enumerate(self.points):
            load = stance.target.point_force[p]
            self.h = self.h - drake.jacobian(name)[3:].T @ load
        unit = np.eye(self.nv)
        rest = drake.inverse_dynamics(np.zeros(self.nv))
        M = np.array([drake.inverse_dynamics(e) - rest for e in unit]).T
        weight = self.robot.weight
        self.axes = [
            np.kron(np.eye(2), drake.pose(c).rotation().matrix()) for c in self.contacts
        ]
        loads = [
            -weight * drake.jacobian(c).T @ S
            for c, S in zip(self.contacts, self.axes, strict=True)
        ]
        # Generalized forces are dynamics @ y + h.
        self.dynamics = np.hstack([M, *loads])
        # Rows of each task by its name in explanations.
        self.rows: dict[str, list[tuple[np.ndarray, np.ndarray, float]]] = {}
        self._add_costs()

    def _row(self, name: str, X: np.ndarray, y: np.ndarray, weight: float) -> None:
        self.rows.setdefault(name, []).append((X, y, weight))
        self.H += weight * X.T @ X
        self.f -= weight * X.T @ y

    def costs(self, vdot: np.ndarray, wrench: np.ndarray) -> dict[str, float]:
        """What each task costs, by name: half its weight times squares."""
        at = np.r_[vdot, wrench.ravel()]
        return {
            name: sum(0.5 * w * float((X @ at - y) @ (X @ at - y)) for X, y, w in rows)
            for name, rows in self.rows.items()
        }

    def _of_velocity(self, J: np.ndarray) -> np.ndarray:
        return np.hstack([J, np.zeros((len(J), 6 * self.C))])

    def _add_costs(self) -> None:
        target = self.stance.target
        gains = self.stance.program.gains_for(target)
        drake, robot, v = self.drake, self.robot, self.stance.v
        m, com, momentum = robot.total_mass, drake.center_of_mass(), drake.momentum()
        rate = self.momentum_rate() / m
        wanted = target.momentum[1] + gains.momentum_gain * (
            target.momentum[0] - momentum[:3]
        )
        self._row(
            "angular momentum per mass", rate[:3], wanted / m, gains.momentum_weight
        )
        wanted = target.com[2] + gains.com_stiffness * (target.com[0] - com)
        wanted = wanted + gains.com_damping * (target.com[1] - momentum[3:] / m)
        gravity = np.array([0.0, 0.0, robot.gravity])
        self._row("center of mass", rate[3:], wanted + gravity, gains.linear_weight)
        for link, R_d, motion in (
            (robot.base_name, target.R_base, target.base),
            (self.stance.trunk, target.R_trunk, target.trunk),
        ):
            X_WL = drake.plant.GetFrameByName(link).CalcPoseInWorld(drake.context)
            J = drake.frame_jacobian(link)
            error = rotation_error(R_d, X_WL.rotation().matrix())
            wanted = motion[1] + gains.orientation_stiffness * error
            wanted += gains.orientation_damping * (motion[0] - J @ v)
            wanted -= drake.frame_bias(link)
            self._row(
                f"orientation of {link}",
                self._of_velocity(J),
                wanted,
                gains.orientation_weight,
            )
        for p, name in enumerate(self.points):
            J = drake.jacobian(name)[3:]
            place = drake.pose(name).translation()
            wanted = target.point[2, p] - drake.bias_acceleration(name)[3:]
            wanted += gains.point_stiffness * (target.point[0, p] - place)
            wanted += gains.point_damping * (target.point[1, p] - J @ v)
            weight = gains.point_weight * target.point_on[p]
            self._row(f"path of {name}", self._of_velocity(J), wanted, weight)
        wanted = target.joints[2] + gains.posture_stiffness * (
            target.joints[0] - self.stance.q[7:]
        )
        wanted += gains.posture_damping * (target.joints[1] - v[6:])
        J = np.eye(self.nv)[6 + self.limbs.free]
        self._row(
            "posture",
            self._of_velocity(J),
            wanted[self.limbs.free],
            gains.posture_weight,
        )
        wrenches = np.eye(len(self.f))[self.nv :]
        for c, name in enumerate(self.contacts):
            X = wrenches[6 * c : 6 * c + 6]
            self._row("wrenches as planned", X, target.wrench[c], gains.wrench_weight)
            # Standing limbs are equations; a seat that is left is nothing at all.
            stands = bool(target.standing[c])
            J = self._of_velocity(drake.jacobian(name))
            wanted = self.wanted_contact(c, name) - drake.bias_acceleration(name)
            if stands and not (self._follows_wholly(c) or self._rolls(c)):
                self._row(f"rest of {name}", J, wanted, gains.contact_weight)
            elif not stands and name in self.limbed:
                P = self.followed(c)
                within = np.linalg.pinv(P) @ P
                self._row(
                    f"{name} in the air",
                    within @ J,
                    within @ wanted,
                    gains.swing_weight,
                )

    @property
    def limbed(self) -> list[str]:
        """Contacts at the end of a limb."""
        return [c for c in self.contacts if len(self.robot.contacts[c].limb)]

    def _limb(self, c: int) -> np.ndarray:
        """Joints that follow contact c."""
        row = self.limbs.limb[c]
        return np.asarray(row[row >= 0])

    def _follows_wholly(self, c: int) -> bool:
        return c < len(self.limbed) and len(self._limb(c)) == 6

    def _rolls(self, c: int) -> bool:
        return self.robot.contacts[self.contacts[c]].rolls

    def followed(self, c: int) -> np.ndarray:
        """Directions of contact c that its limb follows: least squares otherwise."""
        if self._follows_wholly(c):
            return np.eye(6)
        if self._rolls(c):
            return np.asarray(self.axes[c].T[1:])
        # Turns, in the axes of the patch, count at the lever.
        lever = LEVER * body_scale(self.robot).length
        W = np.diag([lever] * 3 + [1.0] * 3) @ self.axes[c].T
        J_L = self.drake.jacobian(self.contacts[c])[:, 6 + self._limb(c)]
        return np.asarray((W @ J_L).T @ W)

    def momentum_rate(self) -> np.ndarray:
        """(6, n) rate of momentum about the CoM from y, without gravity."""
        rate = np.zeros((6, self.nv + 6 * self.C))
        com = self.drake.center_of_mass()
        for c, (name, S) in enumerate(zip(self.contacts, self.axes, strict=True)):
            F = self.robot.weight * S
            arm = self.drake.pose(name).translation() - com
            F[:3] += np.cross(arm, F[3:].T).T
            rate[:, self.nv + 6 * c :][:, :6] = F
        return rate

    def _equalities(self) -> tuple[np.ndarray, np.ndarray]:
        A, b = [self.dynamics[:6]], [-self.h[:6]]
        wrenches = np.eye(len(self.f))[self.nv :]
        for c, name in enumerate(self.contacts):
            if name in self.limbed and self.stance.target.standing[c]:
                wanted = self.wanted_contact(c, name) - self.drake.bias_acceleration(
                    name
                )
                P = self.followed(c)
                A.append(P @ self._of_velocity(self.drake.jacobian(name)))
                b.append(P @ wanted)
            if not self.stance.target.standing[c]:
                A.append(wrenches[6 * c : 6 * c + 6])
                b.append(np.zeros(6))
        return np.vstack(A), np.concatenate(b)

    def wanted_contact(self, c: int, name: str) -> np.ndarray:
        """(6,) wanted acceleration of a contact, world axes."""
        target = self.stance.target
        gains = self.stance.program.gains_for(target)
        X, V = self.drake.pose(name), self.drake.jacobian(name) @ self.stance.v
        error = rotation_error(target.R_contact[c], X.rotation().matrix())
        if target.standing[c]:
            up = target.R_contact[c][:, 2]
            error -= (error @ up) * up
            flatten = np.r_[gains.contact_flatness * error, np.zeros(3)]
            return flatten - gains.contact_damping * V
        motion = target.contact_motion[:, c, :3]
        alpha = motion[1] + gains.swing_stiffness * error
        alpha = alpha + gains.swing_damping * (motion[0] - V[:3])
        return np.r_[alpha, self.stance.wanted_motion(c, alpha)]

    def _inequalities(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        n, robot = len(self.f), self.robot
        G, low, high = [self.dynamics[6:]], [], []
        low.append(-robot.effort_limits - self.h[6:])
        high.append(robot.effort_limits - self.h[6:])
        for c, name in enumerate(self.contacts):
            if not self.stance.target.standing[c]:
                continue
            patch = robot.contacts[name]
            sides = (PATCH_MARGIN * half for half in patch.bearing)
            cone = wrench_cone(*sides, FRICTION)
            rows = np.zeros((len(cone) + 1, n))
            rows[:-1, self.nv + 6 * c :][:, :6] = cone
            rows[-1, self.nv + 6 * c + 5] = 1.0
            G.append(rows)
            low.append(np.r_[np.full(len(cone), -1e30), 0.0])
            high.append(np.r_[np.zeros(len(cone)), MAX_FORCE])
        ranges = self.limbs.ranges
        for c in range(len(self.limbed)):
            limb = self._limb(c)
            q, v = self.stance.q[7 + limb], self.stance.v[6 + limb]
            planned = self.stance.target.joints[0, limb]
            T = LIMB_TIME
            low_end, high_end = ranges[:, c, : len(limb)]
            least = np.minimum(low_end, planned - LIMB_ROOM) - q - v * T
            most = np.maximum(high_end, planned + LIMB_ROOM) - q - v * T
            G.append(np.eye(n)[6 + limb])
            low.append(np.minimum(2 * least / T**2, LIMB_MOST))
            high.append(np.maximum(2 * most / T**2, -LIMB_MOST))
        return np.vstack(G), np.concatenate(low), np.concatenate(high)

    def solve(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Accelerations, joint torques and wrenches (C, 6) of the optimum."""
        solver = piqp.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
        solver.settings.max_iter = 200
        solver.setup(
            self.H, self.f, *self._equalities(), *self._inequalities(), None, None
        )
        assert solver.solve() == piqp.PIQP_SOLVED
        y = np.array(solver.result.x)
        tau = (self.dynamics @ y + self.h)[6:]
        return y[: self.nv], tau, y[self.nv :].reshape(-1, 6)
