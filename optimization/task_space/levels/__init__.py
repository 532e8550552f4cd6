"""Levels of priority: tasks in the null spaces of those above."""
