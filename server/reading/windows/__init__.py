"""Reads an event file window by window: what the scan finds becomes rows of series."""
