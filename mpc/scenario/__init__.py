"""Scenario: the settings of one closed-loop run, its disturbances and events."""
