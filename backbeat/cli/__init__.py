"""The ``backbeat`` command and its subcommands, one module each."""
