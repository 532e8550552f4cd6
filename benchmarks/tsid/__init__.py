"""TSID as a process of its own, asked for the same motions."""
