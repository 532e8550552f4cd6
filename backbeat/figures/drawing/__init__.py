"""What figures are drawn with and from."""
