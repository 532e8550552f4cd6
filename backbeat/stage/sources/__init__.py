"""Playback sources: what a stage can play.

`PlannedSource` is a behavior, `SimulatedSource` a run, `RunFileSource` a run file,
`PreviewSource` a motion that is not solved yet; `MeasuredMotion` interpolates the
samples of a run.
"""
