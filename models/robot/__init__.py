"""A robot as control and optimization see it.

`RobotModel` is made of a URDF and a small YAML file, its `RobotDescription`: joints,
frames, contacts, named postures, servo gains, and what connects its links.
"""
