"""Metrics of a run: errors, slip, survival, strain, and controllers."""
