"""Routes that list runs and tags."""
