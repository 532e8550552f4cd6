"""All that a user should know about a URDF before a robot is made of it."""
