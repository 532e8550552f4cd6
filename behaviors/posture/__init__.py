"""Postures: stations to reach, hold and leave, in joint angles or in words."""
