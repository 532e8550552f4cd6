"""Plans: what the predictive controller hands to the whole-body controller."""
