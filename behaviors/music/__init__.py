"""Music: what is played when, in beats and in seconds.

`notation` has scores, meter and tempo; `playing` gives their hits to two hands; `files`
reads YAML, tablature and MIDI. Nothing here has a robot in it.
"""
