"""Which checkpoints of a directory are kept."""
