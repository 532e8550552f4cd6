"""State estimation from late and noisy sensors: invariant filter, joints, contacts."""
