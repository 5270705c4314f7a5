"""Opens the logdir that questions are asked about."""
