"""The whole-body controller: state and plan to joint torques at every tick."""
