"""Subcommands that analyze and export."""
