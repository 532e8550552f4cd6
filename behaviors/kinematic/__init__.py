"""The kinematic drummer: what inverse kinematics alone make of a score.

`KinematicPlayer` follows strokes without forces or limits of torque, as a preview and
as a comparison: how it fares at singularities is what `singular_values` and
`compare_cures` show. No controller uses any of it.
"""
