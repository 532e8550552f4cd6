"""Takes: what a stage can play.

`PlannedTake` is a behavior, `SimulatedTake` a run, `FiledTake` a run file,
`PreviewTake` a motion that is not solved yet; `MeasuredMotion` is what samples of a run
say.
"""
