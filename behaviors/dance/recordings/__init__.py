"""Recordings in a dance: what it says of them, and what it has of them."""
