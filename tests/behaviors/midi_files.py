"""MIDI files made by hand for the tests."""

from io import BytesIO

import mido


def midi_bytes(tracks, division=480, kind=1):
    """Bytes of a file; a track is a list of (tick, message)."""
    file = mido.MidiFile(type=kind, ticks_per_beat=division)
    for events in tracks:
        track, now = mido.MidiTrack(), 0
        for tick, message in sorted(events, key=lambda e: e[0]):
            track.append(message.copy(time=tick - now))
            now = tick
        file.tracks.append(track)
    out = BytesIO()
    file.save(file=out)
    return out.getvalue()


def hit(note, velocity=90, channel=9):
    return mido.Message("note_on", channel=channel, note=note, velocity=velocity)


def bpm(value):
    return mido.MetaMessage("set_tempo", tempo=mido.bpm2tempo(value))


def meter(numerator, denominator):
    return mido.MetaMessage(
        "time_signature", numerator=numerator, denominator=denominator
    )
