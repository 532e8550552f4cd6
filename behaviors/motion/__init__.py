"""Inputs of the optimizer for every kind of behavior.

Every kind derives from `Specification` and compiles to a `MotionPlan`: a trajectory
problem with what is known of the music. `KnotGrid` places knots on beats, `Placement`
moves a motion elsewhere, `concatenate` joins several, and `next_hints` says what to
try where no motion was found.
"""
