"""Tools of figures: `Figure`, `Sources`, `Camera`, `OffscreenScene`."""
