"""Dance: moves on a grid of beats, layered on tracks.

`DanceSpecification` is the file, `Choreography` the same in Python. Both place moves of
the `vocabulary` or of a `RecordedMove` on tracks; `DanceLayers` adds them up to what
each joint shall do, `DanceTasks` makes tasks of a trajectory problem of it, and
`findings` are what is odd or impossible about a dance before it is solved.
"""
