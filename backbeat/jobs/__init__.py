"""Jobs: builds, sweeps, cards and imports, on this machine or on a cluster.

They give `models.common.processes` their jobs and its workers run them; `Budget` bounds
the time and memory of one, `ClusterExecutor` takes a Dask cluster for the workers.
`FileWatch` and `Worker` follow a file that is being edited.
"""
