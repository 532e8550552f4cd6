"""Joint states and torques for other programs, as they are simulated or played.

A `JointStream` serves samples on a port of this machine, as `StreamSettings` say: a
JSON line or a MessagePack message each.
"""
