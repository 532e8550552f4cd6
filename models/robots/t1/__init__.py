"""The T1: URDF, looks and YAML."""
