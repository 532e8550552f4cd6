"""Disturbances: what acts on a run, and is no input of the controllers.

A `Disturbance` is a class with its schema, its sampling from a seed, its effect, its
marks on the stage and its sliders in the panel. `registry` lists all there are: those
of the folder `kinds`, each a file, and those of a file of the user's own. Scenarios,
sweeps, cards, metrics, the stage and the documents read that list.
"""
