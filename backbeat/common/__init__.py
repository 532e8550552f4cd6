"""What the command, the stage, figures and jobs share.

`load_verified` loads a behavior for the closed loop, `quiet_drake` keeps Drake's
notices off the console.
"""
