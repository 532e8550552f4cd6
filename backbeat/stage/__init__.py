"""The stage: what one sees in Meshcat, live and recorded.

A `PlaybackSource` is something to play and a `StageFrame` what it shows at one time;
`Stage` draws it. `live` has the simulation, the clock and the server of a page,
`players` join them to a show, and `recording` writes pages and films.
"""
