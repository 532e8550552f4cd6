"""The simulated robot and world of a run."""
