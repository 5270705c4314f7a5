"""Which landscapes to compute, from which checkpoints and with which settings."""
