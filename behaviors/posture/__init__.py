"""Postures: stations to reach, hold and leave, in joint angles or in words.

`PostureSpecification` is the file, a tour of `Station` after `Station`; a `Wish` is a
place in words ("left hand: at the head"), which `PostureReach` finds by inverse
kinematics, and `PostureMargins` are what is left to the limits there.
"""
