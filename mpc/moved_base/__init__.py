"""Simulated robots whose base is moved as prescribed, for control in task space.

`add_moved_robot` adds a `MovedRobot` to a diagram: a `BaseDrive` moves a base whose
legs are held, a `LegDrive` one whose feet are welded to the ground, `WeldedLegs`.
"""
