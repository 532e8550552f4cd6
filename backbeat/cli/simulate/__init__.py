"""Subcommands that simulate: track, play, sweep, card, serve, replay."""
