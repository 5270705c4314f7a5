"""What Python writes to stdout and stderr."""
