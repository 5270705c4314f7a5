"""A graph as plain columns, independent of its dialect."""
