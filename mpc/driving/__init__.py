"""Driving: the walk that a predictive controller follows, decided again at every plan.

`steered` steers the walk of a plan by a command, and carries the plan over to the new
walk, so that a change of the reference is no disturbance. `commanded_speeds` measures
what came of commands.
"""
