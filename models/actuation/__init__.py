"""Joints and what drives them: servo law, gains, modes, motors, safety limits."""
