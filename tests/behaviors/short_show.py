"""Files of a show of twenty seconds: a turn, two hits and a knee bend."""

from pathlib import Path

TURN = """
kind: footsteps
name: turn
bpm: 98
steps:
  - {feet: both, beats: 1}
  - {feet: right, beats: 1, to: [0.1, 0.03], turn: 0.4}
  - {feet: both, beats: 1}
  - {feet: left, beats: 1, to: [0.0, 0.05], turn: 0.4}
  - {feet: both, beats: 1.5}
"""
HITS = """
kind: drumming
name: hits
score: two
"""
TWO = """
bpm: 98
parts:
  - {name: ready, hold: 3, rest: {left: snare, right: floor_tom}}
  - {name: hits, left: "- 3 - - - - - -", right: "- - - 6 - - - -"}
"""
BEND = """
kind: posture
name: bend
stations:
  - {posture: crouch, pelvis: 0.75, move: 0.7, hold: 0.1}
  - {posture: stand, move: 0.7, hold: 0.3}
"""
SHORT = """
kind: setlist
name: short
summary: Atlas turns in, hits twice and bends its knees.
equipment: [sticks]
step_back: 0.6
behaviors:
  - {behavior: turn.yaml}
  - {behavior: hits.yaml}
  - {behavior: bend.yaml}
"""
# Without drums, and left in the middle of a step.
TINY = """
kind: setlist
name: tiny
summary: Atlas starts to turn and bends its knees.
behaviors:
  - {behavior: turn.yaml, until: 1.5}
  - {behavior: bend.yaml, beats: 1}
"""


def write_files(folder: Path) -> None:
    """Writes all of them."""
    (folder / "scores").mkdir()
    (folder / "scores" / "two.yaml").write_text(TWO)
    for name, text in {
        "turn": TURN,
        "hits": HITS,
        "bend": BEND,
        "short": SHORT,
        "tiny": TINY,
    }.items():
        (folder / f"{name}.yaml").write_text(text)
