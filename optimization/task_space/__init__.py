"""Prioritized task-space control: tasks of an instant, and the forces that do them."""
