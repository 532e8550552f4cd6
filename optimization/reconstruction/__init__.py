"""The continuous, contact-consistent motion between knots: curves, flight, rebounds."""
