"""Routes of scalar series, one by one and in groups."""
