"""Closed-loop simulation: scenario in, run out."""
