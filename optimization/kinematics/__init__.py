"""Inverse kinematics: of whole robots, and of one limb in closed form."""
