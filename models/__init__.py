"""What exists physically: robots, scenes, contact, actuators."""

from models.compiled_folder import share_compiled_code

# Every package of ours imports this one before it compiles anything.
share_compiled_code()
