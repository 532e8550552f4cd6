"""Joint states and torques for other programs, as they are simulated or played."""
