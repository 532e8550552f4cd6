"""The G1: URDF, looks and YAML."""
