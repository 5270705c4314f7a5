"""Finds the event files of a logdir, and which of them change."""
