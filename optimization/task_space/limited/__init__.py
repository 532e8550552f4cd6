"""Limits of joints and contacts, and programs of tasks within them."""
