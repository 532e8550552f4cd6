"""What all folders use: errors for users, files from outside, YAML, bounds."""
