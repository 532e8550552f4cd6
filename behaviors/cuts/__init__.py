"""Cuts: what of a take a robot on its feet can do, and what has to be left out.

`find_parts` makes `TakeParts` of a take: obstacles, each with its time and the parts of
the body, and the parts of the take that remain.
"""
