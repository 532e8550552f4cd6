"""Weights and gains of the whole-body program, and those in stance without steps."""

from dataclasses import dataclass, replace

from backbeat.mpc.reference.scale import BodyScale


@dataclass(frozen=True)
class WholeBodyGains:
    """Weights and gains of the whole-body program.

    Weights multiply squared accelerations, momentum rates count per kilogram.
    Stiffnesses are in 1/s^2, dampings in 1/s.
    """

    # Angular momentum about the center of mass.
    momentum_weight: float = 10.0
    # Linear momentum.
    linear_weight: float = 10.0
    # Orientation of base and trunk.
    orientation_weight: float = 1.0
    # Joints that carry no contact.
    posture_weight: float = 0.05
    # Contact wrenches near the plan's, in weights of the robot.
    wrench_weight: float = 1e-2
    # Points such as stick tips.
    point_weight: float = 3
    # Standing contacts without a limb of their own.
    contact_weight: float = 1e3
    # Soles in the air on their path.
    swing_weight: float = 10.0
    com_stiffness: float = 8.0
    com_damping: float = 4.0
    momentum_gain: float = 4.0
    orientation_stiffness: float = 100.0
    orientation_damping: float = 20.0
    posture_stiffness: float = 100.0
    posture_damping: float = 20.0
    # Standing feet lose speed and lie flat again.
    contact_damping: float = 20.0
    contact_flatness: float = 60.0
    # Swinging feet follow their path.
    swing_stiffness: float = 400.0
    swing_damping: float = 40.0
    point_stiffness: float = 400.0
    point_damping: float = 40.0

    def at(self, scale: BodyScale) -> "WholeBodyGains":
        """The same for a robot of another scale.

        Accelerations of places are the same at every scale, and those of angles go with
        one over its length; stiffnesses are per second squared.
        """
        x = scale.length
        if x == 1.0:
            return self
        stiff, damp = 1.0 / x, x**-0.5
        return replace(
            self,
            momentum_weight=self.momentum_weight / x**2,
            orientation_weight=self.orientation_weight * x**2,
            posture_weight=self.posture_weight * x**2,
            com_stiffness=self.com_stiffness * stiff,
            com_damping=self.com_damping * damp,
            momentum_gain=self.momentum_gain * damp,
            orientation_stiffness=self.orientation_stiffness * stiff,
            orientation_damping=self.orientation_damping * damp,
            posture_stiffness=self.posture_stiffness * stiff,
            posture_damping=self.posture_damping * damp,
            contact_damping=self.contact_damping * damp,
            contact_flatness=self.contact_flatness * stiff,
            swing_stiffness=self.swing_stiffness * stiff,
            swing_damping=self.swing_damping * damp,
            point_stiffness=self.point_stiffness * stiff,
            point_damping=self.point_damping * damp,
        )


# On all of its feet, a robot that may not step follows the plan's momentum more
# strictly and lets the body turn for it: that catches harder pushes. One foot rocks on
# its narrow sole, and delays of sensors and motors do not allow it there; and a
# robot that may step recovers from more by a step.
STANCE_GAINS = WholeBodyGains(
    momentum_weight=30.0,
    linear_weight=12.0,
    orientation_weight=0.26,
    wrench_weight=4e-3,
    contact_weight=630.0,
    com_stiffness=145.0,
    com_damping=38.0,
    momentum_gain=42.0,
    orientation_stiffness=300.0,
    orientation_damping=40.0,
    posture_damping=28.0,
    contact_flatness=72.0,
)
