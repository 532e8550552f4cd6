"""Bounds of what comes from outside: bytes of a file by kind, and counts in it.

Every reader looks them up here before it makes anything of what it has been given.
What they allow is far more than any known file has, and little enough to be read and
checked within seconds.
"""

from backbeat.models.common.errors import BackbeatError

# Bytes of a file by what it is.
BYTES = {
    # A page of text; a dance of ten minutes has a quarter of it.
    "YAML": 1_000_000,
    "description": 10_000_000,
    "package.xml": 100_000,
    # Fifty bytes a triangle in binary STL, more as text.
    "mesh": 60_000_000,
    "tablature": 1_000_000,
    # Drums of a song take some ten kilobytes; all its other instruments fit as well.
    "MIDI": 1_000_000,
    # A minute at 1 kHz with all joints has 20 MB.
    "CSV": 64_000_000,
    # Ten minutes at 50 samples a second with poses of thirty bodies have 100 MB.
    "take": 200_000_000,
    "WAV": 400_000_000,
    "behavior": 500_000_000,
    "run": 1_000_000_000,
    # A recording of three minutes with a backing has 25 MB.
    "page": 100_000_000,
    "sweep table": 100_000_000,
    "take table": 100_000_000,
    "card": 1_000_000,
    "window": 600_000_000,
    "model": 10_000_000,
}
# Entries of a list, or names with values, by the key that they stand under.
ENTRIES = {
    "stations": 250,
    "steps": 2_000,
    "behaviors": 200,
    "tracks": 16,
    "recordings": 50,
    "keyframes": 500,
    "parameters": 50,
    "parts": 1_000,
    "cases": 500,
    "variations": 20,
    "pushes": 1_000,
    "events": 5_000,
    "hits": 10_000,
    "links": 2_000,
    "joints": 2_000,
    "bodies": 500,
    "attachments": 50,
    "equipment": 50,
    "postures": 500,
    "contacts": 100,
}
# Entries under any other key.
OTHER_ENTRIES = 2_500
# Parts of a YAML text: keys, values, beginnings and ends of lists; with all that its
# aliases stand for written out.
YAML_PARTS = 80_000
YAML_ALIASES = 200
# The parser's time grows with the square of the depth, and no schema goes so far.
YAML_DEPTH = 60
# Letters of a number; the longest that a program writes have twenty-four.
NUMBER_LETTERS = 60
# Elements of a description, attributes of one, letters of these; its links, and how
# deep its tree goes.
XML_ELEMENTS = 50_000
XML_ATTRIBUTES = 200
XML_LETTERS = 10_000
XML_DEPTH = 60
LINKS = 2_000
# Events of a MIDI file, of all instruments.
MIDI_EVENTS = 100_000
# Longest recording [s].
LONGEST_TAKE = 600.0
# Joints of a human skeleton and how deep its tree goes; its frames, ten minutes at 250
# a second, and numbers in these: ten minutes at 120 of a hundred channels.
SKELETON_JOINTS, SKELETON_DEPTH = 400, 60
SKELETON_FRAMES, SKELETON_NUMBERS = 150_000, 8_000_000
# Triangles of a mesh.
TRIANGLES = 1_000_000
# Numbers in a table of a behavior or run: twenty minutes of a robot with sticks; and
# how many of them a byte of the file stands for, where there are more than some.
CELLS, SOME_CELLS, CELLS_PER_BYTE = 120_000_000, 20_000_000, 10
# Arrays in a file of arrays, and numbers in one of them.
ARRAYS, ARRAY_NUMBERS = 200, 20_000_000
# Files and folders in a folder of takes.
FOLDER_FILES = 100_000
# Cells of a sweep: behaviors by cases by values; and its seeds.
SWEEP_CELLS, SWEEP_SEEDS = 4_000, 10_000
# Longest that anything is simulated before or after a behavior [s].
LONGEST_SIMULATED = 3600.0
# Seeds go into generators of 64 bits.
SEED = 2**63 - 1


def check_count(where: str, what: str, count: int, most: int) -> None:
    """Refuses more of something than the limit.

    Args:
        where: what it is in, for the message.
        what: of which there are so many, e.g. "triangles".
        count: how many.
        most: how many there may be.

    Raises:
        BackbeatError: there are more.
    """
    if count > most:
        raise BackbeatError(f"{where} has more than {most} {what}; use fewer")
