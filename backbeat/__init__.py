"""Backbeat: trajectory optimization and model-predictive control for humanoids.

`backbeat.models`, `.optimization`, `.behaviors` and `.mpc` are the library. What is for
people is beside them: the command line (`cli`), the `stage` in the browser, `report`,
`figures`, `sound`, the `stream` of joint states, and the `jobs` that occupy all cores.
"""
