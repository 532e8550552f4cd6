"""A hand after its target, simulated in closed loop."""
