"""Setlists: behaviors in a row as one show, with transitions between them.

`SetlistSpecification` is the file and a `SetlistEntry` one of its rows; a
`TransitionPlanner` leads from the end of one behavior to the start of the next, and
`Concatenation` joins all of them.
"""
