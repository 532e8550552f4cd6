"""URDF beyond what Drake reads: parsed, checked, mended, changed, reported."""
