"""Training events: one engine that tells every callback, of either style, what happens in a training."""
