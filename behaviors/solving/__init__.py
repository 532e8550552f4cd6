"""Solving: plans become motions that are verified, long ones window by window.

`solve_long` cuts a long problem into windows, which a `Workshop` solves side by side
and a `WindowStore` keeps for the next build; a `Patcher` solves anew the part of a
motion whose specification has changed. `make_behavior` puts the result together.
"""
