"""Fail-safe, fall detection, and gains and modes of joints."""
