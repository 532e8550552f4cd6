"""Drum kit, sticks and throne: their descriptions and their looks."""
