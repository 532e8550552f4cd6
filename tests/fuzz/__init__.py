"""Fuzzing: every reader of data from outside gets anything at all.

`READERS` in `readers.py` lists them. What comes is read, or refused in one sentence,
within some time and memory. The everyday suite feeds each some inputs, `make verify`
three times as many, and `make fuzz MINUTES=10` feeds each for so long. What was found
stays in `findings`.
"""
