"""Many runs of one question: their settings, stopping rules and results."""
