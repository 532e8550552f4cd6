"""State estimation from delayed, noisy sensors: invariant filter, joints, contacts."""
