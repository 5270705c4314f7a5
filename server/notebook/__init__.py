"""The dashboard in the output of a notebook's cell."""
