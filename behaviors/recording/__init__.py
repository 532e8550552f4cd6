"""Recordings: joint trajectories from elsewhere, and what they say of the feet."""
