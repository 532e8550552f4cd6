"""Whole-body quadratic programs: momentum, and tasks of named presets."""
