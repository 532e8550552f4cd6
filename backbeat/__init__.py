"""The face of Backbeat: command line, stage, reports, sound and jobs."""
