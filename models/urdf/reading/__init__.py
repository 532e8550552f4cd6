"""A URDF as typed values with lines: `Document`, `Description`, and what was found."""
