"""trackio: a database (SQLite) for each project."""
