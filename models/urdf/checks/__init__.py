"""What may be wrong with a URDF: joints, shapes, transmissions, topology, inertia."""
