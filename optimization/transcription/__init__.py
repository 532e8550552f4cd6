"""A trajectory problem as a nonlinear program on the manifold, and its derivatives."""
