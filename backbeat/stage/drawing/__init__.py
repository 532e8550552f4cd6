"""The stage in Meshcat: robot, set and layers."""
