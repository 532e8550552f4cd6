"""Rigid-body dynamics as compiled functions of plain arrays.

`KinematicTree` is the robot, `recursion` its inverse dynamics, `derivatives` and
`composites` their Jacobians and the mass matrix, `kinematics` poses and velocities of
frames.
"""
