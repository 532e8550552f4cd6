"""What there is to see at one instant."""
