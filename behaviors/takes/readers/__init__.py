"""Readers of motion files: one module for each format, pure functions on bytes."""
