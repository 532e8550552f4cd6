"""Specifications of every kind: found, read and checked before anything is solved."""
