"""Editing: a dance file as data that programs change and people still read.

A `DanceDocument` applies `edits` to the text of the file, with undo and redo, and says
as a `timeline` what it holds: blocks on tracks, and what is wrong with each.
"""
