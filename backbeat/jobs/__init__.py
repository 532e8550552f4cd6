"""Work on all cores or a cluster: builds, sweeps, cards, and a watched file."""
