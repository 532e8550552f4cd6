"""Subcommands for authors: new, check, build, list, info, moves."""
