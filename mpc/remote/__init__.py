"""Controllers in a process of their own: the messages."""
