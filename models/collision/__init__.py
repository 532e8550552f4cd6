"""Collision of a robot with itself and its surroundings, for planning.

`CollisionModel` covers a robot with spheres, `making` reads them off its description,
`distances` tells how far they are from solids, and how that changes.
"""
