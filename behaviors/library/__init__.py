"""The library: verified motions with their certificates and events.

A `Behavior` is a motion with its events, certificate and provenance; a `Library` is a
folder of them, one Parquet file each. `Event` is what happens at a time, `Mount` how
the robot stands in the world, and `BeatGrid` which beat it is at a time.
"""
