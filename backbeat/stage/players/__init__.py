"""Players: live shows that obey their pages.

`Player` shows behaviors, planned or simulated, and hands and their targets;
`WatchedShow` a file that is being edited. `perform` plays until the end.
"""
