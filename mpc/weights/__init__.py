"""Weights of the controllers: what ships, files of them, and what a run changes."""
