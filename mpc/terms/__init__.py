"""What costs of the predictive program are on: rows over the state and the input."""
