"""Run files: a run as one table with its story, read, replayed, compared."""
