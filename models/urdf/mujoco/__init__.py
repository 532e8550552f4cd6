"""MJCF, the format of MuJoCo, as far as a robot is described by it, made into a URDF.

The format is that of the page "XML Reference" of MuJoCo's documentation.
"""
