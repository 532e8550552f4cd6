"""What a description says of a robot by its shape alone: limbs, roles, soles, pairs.

Pure functions over what a URDF says, all at the zero pose in the frame of the root: x
ahead, y to the left, z up. `backbeat.behaviors.adoption` makes a robot YAML of what is
found here.
"""
