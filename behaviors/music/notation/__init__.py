"""Notation: hits on beats, and the time that they are at.

A `Score` has a `Hit` for each stroke and a `Hold` where hands rest; `MeterMap` and
`Tempo` say how beats are counted and how long they last. `Members` are the drums that
there are, and `HandModel` is what is known of the hands that play them.
"""
