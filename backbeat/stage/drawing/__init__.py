"""Drawing: robot, set and layers in Meshcat.

A `Stage` draws a moment on a `Canvas`, which is live or recorded: the robot by
`Puppet`, and whatever is drawn upon it by a `Layer` each, such as `ForceArrows`.
"""
