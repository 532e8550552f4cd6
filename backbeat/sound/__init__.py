"""Sound: what a run or a behavior sounds like, as MIDI, as WAV and on its page."""
