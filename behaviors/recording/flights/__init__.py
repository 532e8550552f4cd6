"""Flights of a recording: jumps from both feet to both, on the path that gravity gives.

`find_jumps` is when they are, and `flown` a recorded motion with them: of a jump that
the robot can make, and with a base that moves in the air as physics has it.
"""
