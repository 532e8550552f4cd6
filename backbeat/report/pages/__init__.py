"""Pages of reports: self-contained HTML."""
