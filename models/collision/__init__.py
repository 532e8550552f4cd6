"""Collision of a robot with itself and its surroundings, for planning.

`CollisionModel` covers a robot with spheres, `making` reads them off its description,
`distances` computes their distances from solids, and the derivatives.
"""
