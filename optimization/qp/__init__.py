"""Quadratic programs and their solvers, dense and small."""
