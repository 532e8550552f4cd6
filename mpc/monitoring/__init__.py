"""Detection of forces that the model does not know."""
