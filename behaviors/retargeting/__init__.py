"""Retargeting: the motion of a human skeleton becomes one of a robot.

A `SkeletonMotion` is what a BVH file holds; a `SkeletonMap` says which of its joints
are which parts of a body. `HumanMotion` is these parts over time, on a floor, in meters
with z up; `RobotParts` are the same parts of a robot. `scaled_targets` brings the one
to the size of the other, and `retarget_skeleton` finds joint angles sample by sample.
"""
