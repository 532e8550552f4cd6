"""A live show: server, clock, and a simulation under way."""
