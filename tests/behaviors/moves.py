"""A move as somebody writes one."""

MOVE = """\
name: mine
track: arms
summary: mine
length: cycle
parameters:
  size: {min: 0, default: 1, max: 2, unit: rad}
  cycle: {min: 1, default: 4, max: 8, unit: beats}
keyframes:
- {at: 0.0, l_arm_shx: 0}
- {at: 0.5, l_arm_shx: 0.1 + 0.5 size}
"""
