"""MIDI files made by hand for the tests."""

import struct
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


def many_hits(count):
    """Bytes of a file of snare hits, one a tick: written here, as mido is slow."""
    track = b"\0\x99\x26\x5a" + b"\1\x26\x5a" * (count - 1) + b"\0\xff\x2f\0"
    head = b"MThd" + struct.pack(">IHHH", 6, 1, 1, 480)
    return head + b"MTrk" + struct.pack(">I", len(track)) + track


def bpm(value):
    return mido.MetaMessage("set_tempo", tempo=mido.bpm2tempo(value))


def meter(numerator, denominator):
    return mido.MetaMessage(
        "time_signature", numerator=numerator, denominator=denominator
    )
