"""Figures of robots and kit."""
