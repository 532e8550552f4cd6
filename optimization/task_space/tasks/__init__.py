"""Tasks of an instant, and a robot that its contacts hold."""
