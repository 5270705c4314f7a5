"""Serves the application over HTTP: connections and their limits, access checks, compression and request bodies."""
