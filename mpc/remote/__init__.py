"""The controllers in a process of their own, and the way there and back."""
