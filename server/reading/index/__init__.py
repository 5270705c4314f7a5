"""The index: what was read of event files, kept for the next start."""
