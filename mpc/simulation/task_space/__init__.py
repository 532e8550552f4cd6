"""A hand that follows its target, simulated in closed loop."""
