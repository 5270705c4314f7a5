"""Rules: their conditions, and the file of --alerts."""
