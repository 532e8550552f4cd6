"""Why a problem is infeasible, relaxations that make it feasible, limits in use."""
