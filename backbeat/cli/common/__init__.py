"""What subcommands share: types of options, console, completion, tables."""
