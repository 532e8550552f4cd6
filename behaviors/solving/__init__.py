"""Solving: plans become motions that are verified, long ones window by window.

`solve_long` cuts a long problem into windows, which a `WindowedSolver` solves at once
and a `WindowStore` keeps for the next build; a `LocalSolver` solves anew the part of a
motion whose specification has changed. `make_behavior` puts the result together.
"""
