"""What figures are drawn with and from: `Figure`, `Sources`, `Camera`, `Room`."""
