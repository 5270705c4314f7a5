"""User-written loops: watched, or reported by the trainer of another library."""
