"""Figures of plans, limits and studies: what sweeps and comparisons showed."""
