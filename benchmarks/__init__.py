"""Speed, measured: against other tools on the same machine, and against goals."""
