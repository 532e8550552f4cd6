"""Recordings: HTML files and films."""
