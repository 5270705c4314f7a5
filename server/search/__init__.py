"""One search syntax for runs, and the columns by which runs are searched and sorted."""
