"""Declared numbers: unit, meaning and cost or limit of each, stated in one place."""
