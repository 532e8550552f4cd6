"""Controllers in a process of their own: what both ends say."""
