"""The H1: URDF, looks and YAML."""
