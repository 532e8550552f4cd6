"""Figures as files: robot, kit, strokes, limits and studies.

A `Figure` of the registry is drawn by a function in `robot` or `studies` from
`Sources`, which are plans, scores, sweeps and runs; `drawing` has cameras and canvases.
"""
