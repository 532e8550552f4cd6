"""Moments: what there is to see at one instant, whatever it comes from.

A `Take` gives a `Moment` for every time, with its `ContactForce`, balance, planned
forces and pushes; a `Strike` is a stick on a drum; a `Track` thins moments to
keyframes.
"""
