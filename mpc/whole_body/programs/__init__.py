"""The whole-body quadratic program: tasks, limits, and how it is built and solved."""
