"""What a behavior is, how it is authored, and the library."""
