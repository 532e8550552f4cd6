"""Figures of robots and kit: pictures, trees of joints, a plan of the drums."""
