"""Figures of robot, kit, strokes and joints, drawn from the model and the plans."""
