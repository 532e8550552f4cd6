"""Long problems as overlapping pieces, and local changes of a solved one."""
