"""Sound: what a run or a behavior sounds like.

A `Performance` has a `Note` for each stroke, simulated or planned; `write_midi` and
`mixed` make MIDI and WAV of it, and a `Character` is how a drum sounds.
"""
