"""Many runs of one question: their settings, when to stop, and what they say."""
