"""Hits, rests and tempo of a drummed run."""
