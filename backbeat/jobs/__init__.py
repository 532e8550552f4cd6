"""Jobs: work on all cores of this machine or on a cluster.

`run_jobs` gives each `Job` a process and reports progress to a `Watcher`; an `Outcome`
is a value or an error. Builds, sweeps and cards are such jobs; `FileWatch` and `Worker`
follow a file that is being edited.
"""
