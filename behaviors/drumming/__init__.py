"""Drumming: a score becomes a trajectory problem for two arms, a torso and feet."""
