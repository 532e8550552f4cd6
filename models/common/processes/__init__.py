"""Other processes of ours: children that answer requests, and workers that run jobs.

`ChildProcess` keeps one, `run_jobs` several; messages between processes are frames on
a stream of bytes. None of them outlives the process that started it.
"""
