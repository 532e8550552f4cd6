"""Tasks of an instant, and the dynamics of a robot in contact."""
