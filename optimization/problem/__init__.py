"""The `TrajectoryProblem`, its tasks and its contact schedule."""
