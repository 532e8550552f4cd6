"""The mathematics of choosing a motion or a force."""
