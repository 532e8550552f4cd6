"""Plans solved, filled in and verified, long ones window by window."""
