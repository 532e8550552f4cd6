"""Task-space control of a hand: law and Drake system."""
