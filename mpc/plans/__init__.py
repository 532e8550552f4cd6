"""Plans: output of the predictive controller, input of the whole-body controller."""
