"""Music: time in beats, and what is played when."""
