"""Players: live shows that obey their pages.

`Player` shows behaviors, planned or simulated, `TaskSpacePlayer` a hand and its target,
`WatchedShow` a file that is being edited. `perform` plays until the end.
"""
