"""Recordings of the stage: pages that play on their own, and films.

`record_behavior` and `record_run` make a `Recording`, a page; `film` has a `Browser`
take pictures of one. `InlineRecording` stands in a notebook.
"""
