"""Finds the event files of a logdir and keeps what was read of them up to date."""
