"""Parts of a scenario, each with the settings of one subject and their check.

A module takes the part that it needs, `TimingSettings` or `SensingSettings` for
instance. Files have all keys side by side: `backbeat.mpc.scenario.parts.keys` says
which part each belongs to.
"""
