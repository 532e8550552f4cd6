"""A behavior as a function of phase, ready for the controllers."""
