"""The Atlas v5 humanoid: its description and its looks."""
