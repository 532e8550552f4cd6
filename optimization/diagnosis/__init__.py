"""Why a problem has no solution, what would give it one, which limits are in use."""
