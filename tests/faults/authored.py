"""What somebody has written, and builds while things go wrong."""

# `{summary}` makes another file of it.
POSTURE = """\
kind: posture
name: mine
summary: {summary}
start: stand
knot_spacing: 0.1
stations:
  - {{posture: crouch, move: 0.8, hold: 0.1}}
"""
