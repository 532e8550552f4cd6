"""The primal-dual interior point that solves a transcribed problem.

`solve` finds a `TrajectorySolution`; Newton steps are one banded factorization.
"""
