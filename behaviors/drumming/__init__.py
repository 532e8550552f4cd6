"""Drumming: a score becomes a trajectory problem for two arms, a torso and feet.

`DrummingSpecification` is the file. `RobotAtKit` puts the robot before its drums,
`StrikePostures` finds how arms reach them, a `Stroke` is the curve of a stick's tip
about a hit, and `DrumTasks` and `PedalTasks` are what a trajectory has to do.
`HighestTempo` is how fast that can be.
"""
