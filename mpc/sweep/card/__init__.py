"""Robustness cards: what a behavior survives, and how often."""
