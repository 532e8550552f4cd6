"""Scores: hits on beats, meter, tempo, swing, and the percussion that they ask for."""
