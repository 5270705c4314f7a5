"""Payloads and messages of a run, read from its event files on demand."""
