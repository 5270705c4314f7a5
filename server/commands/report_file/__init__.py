"""A report of runs: a template of Markdown becomes one HTML file."""
