"""A run as W&B's package shows it: its settings, directory, configuration and summary."""
