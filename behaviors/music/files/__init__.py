"""Score files: YAML, tablature and MIDI become scores.

`load_score` reads any of them. A `NoteMap` says which drum a note of a MIDI file is,
and `TabNote` is a mark in a tablature.
"""
