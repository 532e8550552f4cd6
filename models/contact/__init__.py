"""Contact: wrench cones of patches, materials of surfaces, rebound."""
