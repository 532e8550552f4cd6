"""The process that serves controllers to a simulation."""
