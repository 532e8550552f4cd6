"""Score files: YAML, tablature and MIDI become scores."""
