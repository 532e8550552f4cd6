"""What a stage can play: plans, runs, files, previews."""
