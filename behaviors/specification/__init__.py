"""Specifications of every kind: found, read and checked before anything is solved.

`read_any` reads one of whatever kind, `find_specification` finds it by name or path,
and `check_file` has a `LocatedFinding`, with its line, for all that is wrong with it.
"""
