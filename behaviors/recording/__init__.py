"""Recordings: joint trajectories from elsewhere become motions of this robot.

Files become takes (`backbeat.behaviors.takes`); `FootContacts` and `FootPath` are when
and where its feet stand; a `DanceOffsets` is what is left of it within the robot's
limits.
"""
