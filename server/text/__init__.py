"""Text: names that are safe in terminals and as file names, aligned tables, JSON values, and patterns of names."""
