"""The ``backbeat`` command: a module with a `command` for each subcommand.

Subcommands are in folders by what they are for: `author`, `simulate`, `analyze`,
`robots`; `common` has the options and tables that several share. `main` lists them, and
imports one when it is called.
"""
