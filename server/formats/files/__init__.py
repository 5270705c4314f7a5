"""Files of several formats: logs in blocks, media, settings and databases."""
