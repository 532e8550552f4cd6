"""Robot descriptions beyond what Drake reads: read, check, report, compare, change."""
