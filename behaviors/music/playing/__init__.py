"""Scores for two hands: sticking, ornaments, and what to leave out or slow down."""
