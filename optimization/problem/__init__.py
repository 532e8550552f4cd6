"""What is to be found: `TrajectoryProblem`, its tasks and its contact schedule."""
