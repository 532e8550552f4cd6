"""A robot at one state (q, v).

`Configuration` has poses, Jacobians, momentum and the mass matrix; operators multiply
with matrices that are never formed.
"""
