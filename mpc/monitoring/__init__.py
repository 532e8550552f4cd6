"""Detection of forces that are not in the model."""
