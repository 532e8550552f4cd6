"""Sensors: what a robot could know of itself, late and with errors."""
