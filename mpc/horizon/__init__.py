"""The behavior ahead of a phase, and centroidal dynamics over it."""
