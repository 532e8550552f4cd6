"""The simulated robot and world of a run, as they really are."""
