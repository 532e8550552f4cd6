"""Frames: the state shown at one time, whatever it comes from.

A `PlaybackSource` gives a `StageFrame` for every time, with its `ContactForce`,
balance, planned forces and pushes; a `Strike` is a stick on a drum; a `Track`
thins frames to keyframes.
"""
