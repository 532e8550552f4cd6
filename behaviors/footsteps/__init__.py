"""Footsteps: which feet stand when, where the others go, and jumps between.

`FootstepSpecification` is the file, a `Step` one step, and `Footprints` where feet
stand and how they swing from one place to the next.
"""
