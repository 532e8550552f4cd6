"""The robots that ship, a folder each: URDF, YAML, looks."""
