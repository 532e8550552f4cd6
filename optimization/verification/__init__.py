"""A motion against a fresh Drake plant: `verify` and its `Certificate`."""
