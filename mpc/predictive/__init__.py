"""The predictive controller: forces, momentum, posture and timing over a horizon."""
