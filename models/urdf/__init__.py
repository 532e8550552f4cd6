"""URDF beyond what Drake reads: parsed, checked, fixed, changed, reported."""
