"""Terms: numbers, costs and bounds of the controllers, each declared in one place."""
