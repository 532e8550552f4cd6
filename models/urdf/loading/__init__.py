"""What becomes of a URDF in a plant: elements that Drake passes over, meshes, looks."""
