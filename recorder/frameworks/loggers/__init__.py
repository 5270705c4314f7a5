"""What the adapters of libraries that log named values have in common."""
