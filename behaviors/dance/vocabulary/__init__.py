"""The vocabulary of dances: moves as data, not as code.

A `Move` has curves over beats for channels of the body, steps of the feet and a
`Marker` where its extreme belongs; an `Expression` is arithmetic in the file of one,
evaluated without Python's `eval`.
"""
