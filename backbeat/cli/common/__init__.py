"""What subcommands share: options, console, completion, tables."""
