"""Footsteps: which feet stand when, where the others go, and jumps between."""
