"""Subcommands about robot descriptions."""
