"""Sensors: measurements of a robot's state, with delay and noise."""
