"""The HTTP API: one file a plugin or concern, each with its declared reply models."""
