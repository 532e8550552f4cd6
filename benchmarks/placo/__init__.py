"""PlaCo as a process of its own, asked for the same ticks."""
