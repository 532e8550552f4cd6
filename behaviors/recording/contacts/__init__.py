"""Contacts of feet that are not flat: heels that strike and toes that leave.

`find_foot_roll` finds them while a foot stands, and `step_roll` gives each step what it
has of them.
"""
