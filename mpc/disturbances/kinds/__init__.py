"""Kinds of disturbances, each a file with a class that `registry` finds."""
