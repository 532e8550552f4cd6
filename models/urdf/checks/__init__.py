"""Checks of a URDF: joints, shapes, transmissions, topology, inertia."""
