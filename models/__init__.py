"""What exists physically: robots, scenes, contact, actuators."""
