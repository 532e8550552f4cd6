"""Figures of plans, limits and studies."""
