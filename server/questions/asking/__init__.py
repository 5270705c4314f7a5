"""A question a file: what it takes on a command line, and what answers it."""
