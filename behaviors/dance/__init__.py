"""Dance: moves on a grid of beats, layered on tracks."""
