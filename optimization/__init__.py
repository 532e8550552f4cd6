"""Optimization of motions and forces."""
