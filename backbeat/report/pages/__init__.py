"""Pages of reports: self-contained HTML about a behavior, a run, two, or a card."""
