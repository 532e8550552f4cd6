"""Walking where a command says: footholds, and the motion that goes with them.

A behavior that steps in place is cut into one piece a step (`SteppingCycle`). A `Walk`
says which piece comes when and where each foot lands; `WalkWriter` makes the reference
of it that controllers follow, and `steer` chooses the steps to come from a command.
"""
