"""The subcommands of summary-server, one a file: each has run(arguments), which returns the exit status."""
