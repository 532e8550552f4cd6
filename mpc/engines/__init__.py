"""Engines: what moves a robot in its world, below sensors, motors and controllers.

`Engine` is the interface, `MujocoEngine` and `DrakeEngine` implement it, and
`EnginePlant` puts any engine into the diagram of a closed loop, in the place that
Drake's own plant has there.
"""
