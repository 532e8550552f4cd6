"""Subcommands that simulate: track, play, sweep, card, replay, serve.

Where a subcommand has many options, their types are in a module `..._options` beside
it.
"""
