"""Event files: created, appended to, rotated, and continued."""
