"""Behaviors: motions from a specification to a verified trajectory.

A specification says in musical or everyday terms what is to happen; a folder for each
kind (`dance`, `drumming`, `footsteps`, `posture`, `setlist`) compiles it into a
trajectory problem. `building` has it solved and verified, and `library` keeps the
`Behavior` that comes of it. What ships is in `specifications` and `setlists`.
"""
