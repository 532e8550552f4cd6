"""Both controllers of a loop and the way of plans between them, wherever they run."""
