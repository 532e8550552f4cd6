"""What authoring hands to the optimizer, whatever the kind: plans, grids, placement."""
