"""Figures and tables of a report."""
