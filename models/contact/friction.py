"""Coefficients of friction by what they are for; each layer assumes less than below.

The simulated floor has most. Controllers assume less of it than it has, and plans made
offline least, so that something is left for what the layers below add.
"""

# Of simulated ground and soles, unless a scenario says otherwise.
SIMULATED_FRICTION = 0.8
# Assumed by programs that solve for torques at an instant.
TRACKED_FRICTION = 0.6
# Assumed by the predictive program.
PREDICTED_FRICTION = 0.55
# Assumed by motions that are planned offline.
PLANNED_FRICTION = 0.5
