"""Drawing: robot, set and layers in Meshcat.

A `Stage` draws a frame on a `Canvas`, which is live or recorded: the robot by
`RobotVisual`, and whatever is drawn upon it by a `Layer` each, such as `ForceArrows`.
"""
