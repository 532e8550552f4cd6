"""Editing: a dance or score as data that programs change and people still read.

An `AuthoredDocument` applies `edits` to the text of a file, with undo and redo. What it
holds, and what is wrong with each part of it, is a `timeline` or a `drum_grid`.
"""
