"""Transport of plans to the whole-body controller, also from another process."""
