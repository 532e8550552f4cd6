"""The kinematic drummer: no dynamics, inverse kinematics alone."""
