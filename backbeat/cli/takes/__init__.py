"""Subcommands that make behaviors of recorded motions, one or a folder of them."""
