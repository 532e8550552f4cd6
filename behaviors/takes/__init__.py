"""Takes: recorded motions of robots, read from the files that other tools write.

A reader makes a `MotionFile` of bytes: what is there, in the units and axes of its
format. With the robot's limits, and what a user says in `Conventions`, it becomes a
`Take`: seconds, radians, meters, quaternions with w first, z up.
"""
